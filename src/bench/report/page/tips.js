/** The one tip that all charts share: what a mark says, and the nearest point of a curve. */

const tip = () => document.getElementById('tip')

export function showTip(text, { clientX, clientY }) {
  const box = tip()
  box.textContent = text
  box.classList.add('shown')
  const { width, height } = box.getBoundingClientRect()
  box.style.left = `${Math.max(8, Math.min(clientX + 14, innerWidth - width - 8))}px`
  box.style.top = `${Math.max(8, Math.min(clientY + 14, innerHeight - height - 8))}px`
}

export function hideTip() {
  tip().classList.remove('shown')
}

/** A mark's own words, one value per line. */
const words = (mark) => mark.getAttribute('aria-label').split('; ').join('\n')

export function tipsOf(mark) {
  const show = (event) => showTip(words(mark), event)
  mark.addEventListener('pointerenter', show)
  mark.addEventListener('pointermove', show)
  mark.addEventListener('pointerleave', hideTip)
  mark.addEventListener('focus', () => {
    const box = mark.getBoundingClientRect()
    showTip(words(mark), { clientX: box.right, clientY: box.top })
  })
  mark.addEventListener('blur', hideTip)
}

/** The corners of a path of steps, in the units of its drawing. */
function corners(path) {
  const numbers = (path.getAttribute('d').match(/-?[\d.]+/g) ?? []).map(Number)
  let [x, y] = [0, 0]
  return Array.from({ length: numbers.length / 2 }, (_, i) => {
    x += numbers[2 * i]
    y += numbers[2 * i + 1]
    return [x, y]
  })
}

/** Gives the marks of a drawing the focus, and those of a twin the values of the drawing on its left. */
export function nameMarks(drawing) {
  const twin = drawing.parentElement.classList.contains('phone')
  const others = drawing.parentElement.previousElementSibling?.querySelectorAll('.mark')
  for (const [i, mark] of drawing.querySelectorAll('.mark').entries()) {
    mark.setAttribute('role', 'img')
    mark.setAttribute('tabindex', '0')
    if (!twin) continue
    mark.setAttribute('aria-label', others[i].getAttribute('aria-label'))
    if (others[i].dataset.values !== undefined) mark.dataset.values = others[i].dataset.values
  }
}

/** Curves answer to the pointer from a distance, since thin lines are hard to hit; names in the legend bring out theirs. */
export function curvesOf(drawing) {
  const curves = [...drawing.querySelectorAll('.mark[data-values]')].map((mark) => ({
    mark,
    points: corners(mark.querySelector('.line')),
    values: mark.dataset.values.split(' ').map((one) => one.split(',')),
  }))
  const keys = [...drawing.querySelectorAll('.key')]
  const point = (near) => {
    drawing.classList.toggle('pointing', near !== undefined)
    for (const { mark } of curves) mark.classList.toggle('near', mark === near)
  }
  drawing.addEventListener('pointermove', (event) => {
    const key = event.target.closest('.key')
    if (key) {
      hideTip()
      return point(curves[keys.indexOf(key)].mark)
    }
    const { left, top, width } = drawing.getBoundingClientRect()
    const unit = drawing.viewBox.baseVal.width / width
    const [px, py] = [(event.clientX - left) * unit, (event.clientY - top) * unit]
    let best = { distance: 40 }
    for (const { mark, points, values } of curves)
      if (mark.getClientRects().length > 0)
        for (const [i, [x, y]] of points.entries()) {
          const distance = Math.hypot(x - px, y - py)
          if (distance < best.distance) best = { distance, mark, value: values[i] }
        }
    point(best.mark)
    if (!best.mark) return hideTip()
    const [x, y, low, high] = best.value
    const range = low === undefined ? '' : ` [${low}, ${high}]`
    const { x: across, y: up } = drawing.dataset
    showTip(`${words(best.mark)}\n${across}: ${x}\n${up}: ${y}${range}`, event)
  })
  drawing.addEventListener('pointerleave', () => {
    point()
    hideTip()
  })
}
