/** Brings the page to life: draws the charts, sorts the tables, filters by family. The page reads well without it. */
import { bars, boxes, lines, scatter } from './charts.js'

const kinds = { scatter, lines, boxes, bars }

function start() {
  const { charts, shapes } = JSON.parse(document.getElementById('data').textContent)
  const hidden = new Set()
  const layersOf = new Map()
  const look = (id) => ({
    shows: (family) => !hidden.has(family),
    shape: (family) => shapes[family],
    layers: layersOf.get(id),
  })
  const draw = (host) => {
    const chart = charts[host.dataset.chart]
    kinds[chart.kind](host, chart, look(host.dataset.chart))
  }
  const plots = [...document.querySelectorAll('[data-chart]')]
  for (const host of plots) {
    const chart = charts[host.dataset.chart]
    layersOf.set(host.dataset.chart, new Set(['ours', ...(chart.kind === 'scatter' ? [] : ['paper'])]))
  }
  const drawAll = () => plots.forEach(draw)

  for (const chip of document.querySelectorAll('.chip[data-family]'))
    chip.addEventListener('click', () => {
      const { family } = chip.dataset
      if (!hidden.delete(family)) hidden.add(family)
      chip.setAttribute('aria-pressed', String(!hidden.has(family)))
      for (const row of document.querySelectorAll(`tr[data-family="${family}"]`))
        row.hidden = hidden.has(family)
      drawAll()
    })
  for (const chip of document.querySelectorAll('.chip[data-layer]'))
    chip.addEventListener('click', () => {
      const layers = layersOf.get(chip.dataset.of)
      if (!layers.delete(chip.dataset.layer)) layers.add(chip.dataset.layer)
      chip.setAttribute('aria-pressed', String(layers.has(chip.dataset.layer)))
      drawAll()
    })
  for (const button of document.querySelectorAll('thead button'))
    button.addEventListener('click', () => sortBy(button))

  drawAll()
  let width = innerWidth
  addEventListener('resize', () => {
    if (innerWidth !== width) requestAnimationFrame(drawAll)
    width = innerWidth
  })
}

/** Sorts a table by a column: best first, then the other way round; rows without a value stay last. */
function sortBy(button) {
  const head = button.closest('th')
  const table = head.closest('table')
  const before = head.getAttribute('aria-sort')
  const order = before ? (before === 'descending' ? 'ascending' : 'descending') : head.dataset.first
  for (const other of table.querySelectorAll('th[aria-sort]')) other.removeAttribute('aria-sort')
  head.setAttribute('aria-sort', order)
  const sign = order === 'ascending' ? 1 : -1
  const column = Number(head.dataset.column)
  const key = (row) => row.children[column].dataset.sort ?? ''
  const body = table.tBodies[0]
  const rows = [...body.rows].sort((a, b) => {
    const [x, y] = [key(a), key(b)]
    if (x === '' || y === '') return x === y ? 0 : x === '' ? 1 : -1
    const numeric = Number(x) - Number(y)
    return sign * (Number.isNaN(numeric) ? x.localeCompare(y) : numeric)
  })
  body.append(...rows)
}

start()
