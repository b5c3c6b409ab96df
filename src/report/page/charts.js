/** The four kinds of charts, drawn as SVG for the width at hand. */
import { axes, hideTip, markOf, showTip, svg } from './dom.js'
import { pretty, scaleOf } from './scale.js'

const shapes = {
  circle: (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  square: (r) => `M${-r * 0.9} ${-r * 0.9}h${r * 1.8}v${r * 1.8}h${-r * 1.8}z`,
  diamond: (r) => `M0 ${-r * 1.25}L${r * 1.25} 0L0 ${r * 1.25}L${-r * 1.25} 0z`,
  'triangle-up': (r) => `M0 ${-r * 1.2}L${r * 1.15} ${r * 0.85}L${-r * 1.15} ${r * 0.85}z`,
  'triangle-down': (r) => `M0 ${r * 1.2}L${r * 1.15} ${-r * 0.85}L${-r * 1.15} ${-r * 0.85}z`,
  cross: (r) => {
    const a = r * 0.45
    return `M${-a} ${-r}h${2 * a}v${r - a}h${r - a}v${2 * a}h${-(r - a)}v${r - a}h${-2 * a}v${-(r - a)}h${-(r - a)}v${-2 * a}h${r - a}z`
  },
}

const interval = (range, axis) => (range ? ` [${pretty(range[0], axis)}, ${pretty(range[1], axis)}]` : '')

function canvas(host, width, height, label) {
  const drawing = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': label })
  host.replaceChildren(drawing)
  return drawing
}

/** Puts names beside points where there is room: first come, first served, never over another name or point. */
function tags(placed, right) {
  const group = svg('g', { 'aria-hidden': 'true' })
  const taken = placed.map(({ x, y, r }) => [x - r, y - r, x + r, y + r])
  for (const { x, y, r, label } of placed) {
    const wide = label.length * 6.1
    const spots = [
      [x + r + 4, y + 4, 'start', x + r + 4],
      [x - r - 4, y + 4, 'end', x - r - 4 - wide],
      [x, y - r - 5, 'middle', x - wide / 2],
      [x, y + r + 13, 'middle', x - wide / 2],
    ]
    const free = spots.find(([, ty, , left]) => {
      const box = [left, ty - 10, left + wide, ty + 3]
      if (box[0] < 60 || box[2] > right) return false
      return taken.every((t) => box[2] < t[0] || box[0] > t[2] || box[3] < t[1] || box[1] > t[3])
    })
    if (!free) continue
    taken.push([free[3], free[1] - 10, free[3] + wide, free[1] + 3])
    group.append(svg('text', { class: 'tag', x: free[0], y: free[1], 'text-anchor': free[2] }, label))
  }
  return group
}

export function scatter(host, chart, look) {
  const points = chart.points.filter((p) => look.shows(p.family) && look.layers.has(p.layer ?? 'ours'))
  const width = host.clientWidth || 800
  const frame = { left: 64, top: 12, width: width - 84, height: Math.min(520, Math.max(320, width * 0.52)) }
  const drawing = canvas(host, width, frame.height + 64, chart.title)
  const all = chart.points
  const bottom = frame.top + frame.height
  const x = scaleOf(
    all.map((p) => p.x),
    chart.x,
    [frame.left, frame.left + frame.width],
  )
  const y = scaleOf(
    all.map((p) => p.y),
    chart.y,
    [bottom, frame.top],
  )
  drawing.append(axes(chart, x, y, frame))
  const ours = new Map(points.filter((p) => p.layer !== 'paper').map((p) => [p.label, p]))
  for (const p of points.filter((p) => p.layer === 'paper' && ours.has(p.label))) {
    const o = ours.get(p.label)
    drawing.append(svg('line', { class: 'link', x1: x(o.x), y1: y(o.y), x2: x(p.x), y2: y(p.y) }))
  }
  const placed = []
  for (const p of [...points].sort((a, b) => (b.size ?? 0) - (a.size ?? 0))) {
    const r = p.size === undefined ? 6 : 4 + 13 * Math.sqrt(Math.max(0, p.size))
    const lines = [
      `${p.label}${p.layer === 'paper' ? ' (paper)' : ''}`,
      `${chart.x.label}: ${pretty(p.x, chart.x)}${interval(p.xRange, chart.x)}`,
      `${chart.y.label}: ${pretty(p.y, chart.y)}${interval(p.yRange, chart.y)}`,
      ...(p.size === undefined ? [] : [`${chart.sizeLabel ?? 'size'}: ${pretty(p.size)}`]),
    ]
    const parts = []
    if (p.xRange) {
      const at = { y1: y(p.y), y2: y(p.y), x1: x(p.xRange[0]), x2: x(p.xRange[1]) }
      parts.push(svg('line', { class: 'range', ...at }))
    }
    if (p.yRange) {
      const at = { x1: x(p.x), x2: x(p.x), y1: y(p.yRange[0]), y2: y(p.yRange[1]) }
      parts.push(svg('line', { class: 'range', ...at }))
    }
    const d = (shapes[look.shape(p.family)] ?? shapes.circle)(r)
    parts.push(svg('path', { class: 'body', d, transform: `translate(${x(p.x)} ${y(p.y)})` }))
    drawing.append(markOf(p, lines.join('\n'), ...parts))
    if (p.layer !== 'paper') placed.push({ x: x(p.x), y: y(p.y), r, label: p.label })
  }
  drawing.append(tags(placed, width))
}

/** Names of lines with a stroke of each; pointing at a name brings out its line. */
function legend(host, series, marks) {
  const list = document.createElement('ul')
  list.className = 'legend'
  list.setAttribute('aria-hidden', 'true') // the lines have names of their own
  series.forEach((s, i) => {
    const item = document.createElement('li')
    const dash = marks[i].querySelector('.line').getAttribute('stroke-dasharray')
    const stroke = svg('path', { class: 'line', d: 'M0 5H26', 'stroke-dasharray': dash })
    item.className = `f-${s.family}`
    item.append(svg('svg', { viewBox: '0 0 26 10', width: 26, height: 10 }, stroke), s.label)
    const point = (on) => {
      host.classList.toggle('pointing', on)
      marks[i].classList.toggle('near', on)
    }
    item.addEventListener('pointerenter', () => point(true))
    item.addEventListener('pointerleave', () => point(false))
    list.append(item)
  })
  host.append(list)
}

export function lines(host, chart, look) {
  const series = chart.series.filter((s) => look.shows(s.family))
  const width = host.clientWidth || 800
  const frame = { left: 64, top: 12, width: width - 84, height: Math.min(440, Math.max(280, width * 0.45)) }
  const drawing = canvas(host, width, frame.height + 64, chart.title)
  const points = chart.series.flatMap((s) => s.points)
  const x = scaleOf(
    points.map((p) => p[0]),
    chart.x,
    [frame.left, frame.left + frame.width],
  )
  const y = scaleOf(
    points.flatMap((p) => p.slice(1)),
    chart.y,
    [frame.top + frame.height, frame.top],
  )
  drawing.append(axes(chart, x, y, frame))
  const dashes = ['', '6 3', '2 3', '8 3 2 3', '1 4']
  const seen = new Map()
  const marks = series.map((s) => {
    const nth = seen.get(s.family) ?? 0
    seen.set(s.family, nth + 1)
    const path = s.points
      .map((p, i) => `${i ? 'L' : 'M'}${x(p[0]).toFixed(1)} ${y(p[1]).toFixed(1)}`)
      .join('')
    const up = s.points.map((p) => `${x(p[0]).toFixed(1)} ${y(p[3] ?? p[1]).toFixed(1)}`)
    const down = s.points.map((p) => `${x(p[0]).toFixed(1)} ${y(p[2] ?? p[1]).toFixed(1)}`)
    const band = `M${[...up, ...down.reverse()].join('L')}z`
    const line = svg('path', { class: 'line', d: path, 'stroke-dasharray': dashes[nth % dashes.length] })
    return markOf(s, s.label, svg('path', { class: 'band', d: band }), line)
  })
  drawing.append(...marks)
  legend(host, series, marks)
  // The nearest line answers to the pointer; thin lines are hard to hit.
  drawing.addEventListener('pointermove', (event) => {
    const box = drawing.getBoundingClientRect()
    const [px, py] = [event.clientX - box.left, event.clientY - box.top].map((v) => (v * width) / box.width)
    let best = { distance: 40 }
    series.forEach((s, i) => {
      for (const p of s.points) {
        const distance = Math.hypot(x(p[0]) - px, y(p[1]) - py)
        if (distance < best.distance) best = { distance, s, i, p }
      }
    })
    host.classList.toggle('pointing', Boolean(best.p))
    for (const [i, mark] of marks.entries()) mark.classList.toggle('near', i === best.i)
    if (!best.p) return hideTip()
    const [vx, vy, low, high] = best.p
    const range = low === undefined ? '' : interval([low, high], chart.y)
    const text = `${best.s.label}\n${chart.x.label}: ${pretty(vx, chart.x)}\n${chart.y.label}: ${pretty(vy, chart.y)}${range}`
    showTip(text, event)
  })
  drawing.addEventListener('pointerleave', () => {
    host.classList.remove('pointing')
    hideTip()
  })
}

/** Rows of one name each, with one or several panels beside each other: box plots and bars. */
function rows(host, chart, names, panels, values, draw) {
  const width = host.clientWidth || 800
  const tall = 20
  const left = Math.min(164, 14 + 6.6 * Math.max(0, ...names.map((n) => n.length)))
  const each = Math.max(130, (width - left - 12) / panels.length)
  const height = names.length * tall
  const drawing = canvas(host, left + each * panels.length + 12, height + 84, chart.title)
  names.forEach((name, i) => {
    const place = { x: left - 10, y: 32 + i * tall + tall / 2 + 4, 'text-anchor': 'end' }
    drawing.append(svg('text', place, name))
  })
  panels.forEach((panel, i) => {
    const from = left + i * each
    const value = { ...chart.y, label: '' }
    const x = scaleOf(values, chart.y, [from + 4, from + each - 18], Math.max(2, Math.floor(each / 80) - 1))
    drawing.append(svg('text', { class: 'tag', x: from + 4, y: 20 }, panel))
    drawing.append(
      axes({ x: value }, x, undefined, { left: from, top: 28, width: each - 18, height: height + 4 }),
    )
    draw(drawing, panel, x, (name) => 32 + names.indexOf(name) * tall + tall / 2)
  })
  const middle = (left + left + each * panels.length) / 2
  drawing.append(svg('text', { x: middle, y: height + 72, 'text-anchor': 'middle' }, chart.y.label))
}

export function boxes(host, chart, look) {
  const shown = chart.boxes.filter((b) => look.shows(b.family))
  const names = [...new Set(shown.map((b) => b.label))]
  const panels = [...new Set(chart.boxes.map((b) => b.series))]
  const values = chart.boxes.flatMap((b) => b.five)
  rows(host, chart, names, panels, values, (drawing, panel, x, y) => {
    for (const b of shown.filter((box) => box.series === panel)) {
      const [minimum, q1, median, q3, maximum] = b.five
      const at = y(b.label)
      const named = [
        ['largest', maximum],
        ['upper quartile', q3],
        ['median', median],
        ['lower quartile', q1],
        ['smallest', minimum],
      ]
      const text = [`${b.label}, ${panel}`, ...named.map(([n, v]) => `${n}: ${pretty(v, chart.y)}`)].join(
        '\n',
      )
      const whisker = svg('line', { class: 'range', x1: x(minimum), x2: x(maximum), y1: at, y2: at })
      const body = svg('rect', {
        class: 'body',
        x: x(q1),
        width: Math.max(1, x(q3) - x(q1)),
        y: at - 6,
        height: 12,
        rx: 2,
      })
      const middle = svg('line', { class: 'middle', x1: x(median), x2: x(median), y1: at - 6, y2: at + 6 })
      drawing.append(markOf(b, text, whisker, body, middle))
    }
  })
}

export function bars(host, chart, look) {
  const shown = chart.bars.filter((b) => look.shows(b.family))
  const names = shown.map((b) => b.label)
  const values = chart.bars.flatMap((b) => [
    b.value,
    ...(b.range ?? []),
    ...(chart.y.scale === 'log' ? [] : [0]),
  ])
  rows(host, chart, names, [chart.x.label], values, (drawing, _, x, y) => {
    const start = chart.y.scale === 'log' ? x(Math.min(...values.filter((v) => v > 0))) : x(0)
    for (const b of shown) {
      const at = y(b.label)
      const text = `${b.label}\n${chart.y.label}: ${pretty(b.value, chart.y)}${interval(b.range, chart.y)}${
        b.paper === undefined ? '' : `\npaper: ${pretty(b.paper, chart.y)}`
      }`
      const parts = [
        svg('rect', {
          class: 'body',
          x: start,
          width: Math.max(1.5, x(b.value) - start),
          y: at - 6,
          height: 12,
          rx: 2,
        }),
      ]
      if (b.range)
        parts.push(svg('line', { class: 'range', x1: x(b.range[0]), x2: x(b.range[1]), y1: at, y2: at }))
      if (b.paper !== undefined)
        parts.push(
          svg('path', {
            class: 'axis',
            fill: 'none',
            d: shapes.diamond(4),
            transform: `translate(${x(b.paper)} ${at})`,
          }),
        )
      drawing.append(markOf(b, text, ...parts))
    }
  })
}
