/** Tables: sorting, and a sign where there is more to the side. */

/** What a cell says: its number without the interval, its name without the button; nothing for a dash. */
export function shownOf(cell) {
  const said = [...((cell?.querySelector('b') ?? cell)?.childNodes ?? [])].find(
    ({ nodeType }) => nodeType === 3,
  )
  const text = said?.textContent.trim() ?? ''
  return text === '\u2013' ? '' : text
}

/** Sorts a table by a column: best first, then the other way round; rows without a value stay last. */
export function sortBy(button) {
  const head = button.closest('th')
  const table = head.closest('table')
  const before = head.getAttribute('aria-sort')
  const up = head.cellIndex === 0 || head.dataset.better === 'lower' || head.className === 'text'
  const first = up ? 'ascending' : 'descending'
  const order = before ? (before === 'descending' ? 'ascending' : 'descending') : first
  for (const other of table.querySelectorAll('th[aria-sort]')) other.removeAttribute('aria-sort')
  head.setAttribute('aria-sort', order)
  const sign = order === 'ascending' ? 1 : -1
  const key = (row) => shownOf(row.children[head.cellIndex])
  const body = table.tBodies[0]
  const rows = [...body.rows].sort((a, b) => {
    const [x, y] = [key(a), key(b)]
    if (x === '' || y === '') return x === y ? 0 : x === '' ? 1 : -1
    const numeric = Number(x) - Number(y)
    return sign * (Number.isNaN(numeric) ? x.localeCompare(y) : numeric)
  })
  body.append(...rows)
}

/**
 * A table that fits is no scroll box, so that its head sticks to the window; one that does not fit scrolls both ways inside its
 * own box, where head and first column stick.
 */
export function watchWidth(scroll) {
  const frame = scroll.parentElement
  const look = () => {
    const hidden = scroll.scrollWidth - scroll.clientWidth
    frame.classList.toggle('wide', hidden > 1)
    frame.classList.toggle('more-left', hidden > 1 && scroll.scrollLeft > 1)
    frame.classList.toggle('more-right', hidden > 1 && scroll.scrollLeft < hidden - 1)
    // only what scrolls needs the focus
    scroll.tabIndex = hidden > 1 ? 0 : -1
  }
  scroll.addEventListener('scroll', look, { passive: true })
  new ResizeObserver(look).observe(scroll)
  look()
}
