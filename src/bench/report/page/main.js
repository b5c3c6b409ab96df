/** Brings the page to life: tips, sorting, filters. The page reads well without it. */
import { comparison, readOff } from './compare.js'
import { samplesOf } from './samples.js'
import { sortBy, watchWidth } from './tables.js'
import { curvesOf, tipsOf } from './tips.js'

const all = (selector) => document.querySelectorAll(selector)

document.documentElement.classList.add('script')

/** Shows or hides all that belongs to a method. */
function toggleFamily(chip) {
  const on = chip.getAttribute('aria-pressed') !== 'true'
  chip.setAttribute('aria-pressed', String(on))
  for (const row of all(`tr[data-family="${chip.dataset.family}"]`)) row.hidden = !on
  for (const part of all(`.plot :is(.mark, .name, .paper, .key).f-${chip.dataset.family}`))
    part.classList.toggle('off', !on)
}

for (const chip of all('.chip[data-family]')) chip.addEventListener('click', () => toggleFamily(chip))
for (const [name, className] of [
  ['paper', 'with-paper'],
  ['log', 'with-log'],
])
  for (const chip of all(`.chip[data-${name}]`))
    chip.addEventListener('click', () => {
      const on = chip.getAttribute('aria-pressed') !== 'true'
      chip.setAttribute('aria-pressed', String(on))
      document.getElementById(chip.dataset[name]).classList.toggle(className, on)
    })
for (const button of all('thead button')) button.addEventListener('click', () => sortBy(button))
for (const scroll of all('.scroll')) watchWidth(scroll)
for (const drawing of all('.plot svg')) {
  // a title would come up as a second tip
  const title = drawing.querySelector(':scope > title')
  drawing.setAttribute('aria-label', title.textContent)
  drawing.setAttribute('aria-describedby', drawing.querySelector(':scope > desc').id)
  drawing.removeAttribute('aria-labelledby')
  title.remove()
  if (drawing.dataset.x !== undefined) curvesOf(drawing)
}
for (const mark of all('.plot .mark:not([data-series])')) tipsOf(mark)

for (const list of all('select[data-read]')) readOff(list)
const side = document.getElementById('_compare')
if (side) comparison(side)
const texts = document.getElementById('_samples')
if (texts) samplesOf(document.getElementById('_texts'), JSON.parse(texts.textContent))

const bar = document.querySelector('.bar')
new ResizeObserver(() =>
  document.documentElement.style.setProperty('--bar', `${bar.offsetHeight}px`),
).observe(bar)
