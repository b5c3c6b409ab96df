/** Two methods side by side, and the values of all curves at one place: both from what the page already shows. */
import { shownOf } from './tables.js'

const cellOf = (tag, text, className = '') => {
  const cell = document.createElement(tag)
  cell.textContent = text
  cell.className = className
  return cell
}

const rowOf = (...cells) => {
  const row = document.createElement('tr')
  row.append(...cells)
  return row
}

/** What a cell says, and the interval that it lies in; a number without one may lie anywhere. */
function figureOf(cell) {
  const range = cell.querySelector('i')?.textContent.split('\u2013').map(Number)
  const [low, high] = range ?? [-Infinity, Infinity]
  return { parts: cell.cloneNode(true).childNodes, low, high }
}

const shownIn = ({ parts }) => {
  const cell = document.createElement('td')
  cell.append(...parts)
  return cell
}

/** The row of a method in a table. */
const rowNamed = (table, id) =>
  [...table.querySelectorAll('th[data-row]')].find((th) => th.dataset.row === id)?.parentElement

/** Every figure with a better side that both methods have, table by table. */
export function compareMethods(body, [first, second], names) {
  body.replaceChildren()
  for (const table of document.querySelectorAll('main figure table')) {
    // one view at a time: the means, or those of one model
    if (getComputedStyle(table.closest('figure')).display === 'none') continue
    const [a, b] = [rowNamed(table, first), rowNamed(table, second)]
    if (!a || !b || a === b) continue
    for (const head of table.querySelectorAll('th[data-better]')) {
      const [x, y] = [a, b].map((row) => row.children[head.cellIndex])
      if (shownOf(x) === '' || shownOf(y) === '') continue
      const [one, other] = [figureOf(x), figureOf(y)]
      const higher = one.low > other.high ? 0 : other.low > one.high ? 1 : undefined
      const better = higher === undefined ? '' : names[head.dataset.better === 'higher' ? higher : 1 - higher]
      const group = head.dataset.group ? `${head.dataset.group}, ` : ''
      const title = `${table.closest('figure').querySelector('h3').textContent}: ${group}${head.textContent}`
      body.append(rowOf(cellOf('th', title), shownIn(one), shownIn(other), cellOf('td', better, 'text')))
    }
  }
}

/** Keeps a comparison up to date with its two lists. */
export function comparison(section) {
  const lists = [...section.querySelectorAll('select')]
  const heads = section.querySelectorAll('thead th')
  const show = () => {
    const names = lists.map((list) => list.selectedOptions[0].textContent)
    for (const [i, name] of names.entries()) heads[1 + i].textContent = name
    compareMethods(
      section.querySelector('tbody'),
      lists.map((list) => list.value),
      names,
    )
  }
  for (const list of [...lists, ...document.querySelectorAll('[name="_view"]')])
    list.addEventListener('change', show)
  show()
}

/** The values of all curves at a place that is chosen from a list, highest first. */
export function readOff(list) {
  const figure = document.getElementById(list.dataset.read)
  const curves = [...figure.querySelectorAll('.desk:not(.log) .mark[data-values]')].map((mark) => ({
    name: mark.getAttribute('aria-label'),
    points: new Map(
      mark.dataset.values.split(' ').map((one) => {
        const [x, y, low, high] = one.split(',')
        return [x, { y, range: low === undefined ? '' : `${low} to ${high}` }]
      }),
    ),
  }))
  list.append(new Option('\u2013', ''))
  for (const x of new Set(curves.flatMap(({ points }) => [...points.keys()]))) list.append(new Option(x, x))
  const place = figure.querySelector('.read')
  list.addEventListener('change', () => {
    place.replaceChildren()
    if (list.value === '') return
    const found = curves.flatMap(({ name, points }) =>
      points.has(list.value) ? [{ name, ...points.get(list.value) }] : [],
    )
    const table = document.createElement('table')
    const label = figure.querySelector('.desk svg').dataset.y
    const head = ['', label, '95% interval'].map((text) => cellOf('th', text))
    table.append(rowOf(...head))
    found.sort((a, b) => Number.parseFloat(b.y) - Number.parseFloat(a.y))
    for (const { name, y, range } of found)
      table.append(rowOf(cellOf('th', name), cellOf('td', y), cellOf('td', range)))
    place.append(table)
  })
}
