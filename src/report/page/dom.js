/** Small tools to build elements and the one tip that all charts share. */
import { pretty } from './scale.js'

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) element.setAttribute(name, value)
  element.append(...children)
  return element
}

/** A group that stands for one method: coloured by family, reachable by keyboard, with a tip. */
export function markOf(item, text, ...children) {
  const mark = svg('g', {
    class: `mark f-${item.family}${item.layer === 'paper' ? ' published' : ''}`,
    tabindex: 0,
    role: 'img',
    'aria-label': text.replaceAll('\n', '; '),
  })
  mark.append(...children)
  const show = (event) => showTip(text, event)
  mark.addEventListener('pointerenter', show)
  mark.addEventListener('pointermove', show)
  mark.addEventListener('pointerleave', hideTip)
  mark.addEventListener('focus', () => {
    const box = mark.getBoundingClientRect()
    showTip(text, { clientX: box.right, clientY: box.top })
  })
  mark.addEventListener('blur', hideTip)
  return mark
}

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

/** Axes with grid lines and titles around a plot of the given size. */
export function axes(chart, x, y, { width, height, left, top }) {
  const group = svg('g')
  for (const tick of x.ticks) {
    group.append(svg('line', { class: 'grid', x1: x(tick), x2: x(tick), y1: top, y2: top + height }))
    // labels at the ends turn inwards, so that those of neighbouring panels do not meet
    const edge = x(tick) - left < 20 ? 'start' : left + width - x(tick) < 20 ? 'end' : 'middle'
    const place = { x: x(tick), y: top + height + 18, 'text-anchor': y ? 'middle' : edge }
    group.append(svg('text', place, pretty(tick, chart.x)))
  }
  for (const tick of y?.ticks ?? []) {
    group.append(svg('line', { class: 'grid', x1: left, x2: left + width, y1: y(tick), y2: y(tick) }))
    group.append(svg('text', { x: left - 8, y: y(tick) + 4, 'text-anchor': 'end' }, pretty(tick, chart.y)))
  }
  const middle = left + width / 2
  group.append(svg('text', { x: middle, y: top + height + 40, 'text-anchor': 'middle' }, chart.x.label))
  if (y) {
    const turn = `translate(${left - 46} ${top + height / 2}) rotate(-90)`
    group.append(svg('text', { transform: turn, 'text-anchor': 'middle' }, chart.y.label))
  }
  return group
}
