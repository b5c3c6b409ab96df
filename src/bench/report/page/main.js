/** Brings the page to life: tips, sorting, filters. The page reads well without it. */
import { comparison, readOff } from './compare.js'
import { samplesOf } from './samples.js'
import { sortBy, watchWidth } from './tables.js'
import { curvesOf, nameMarks, tipsOf } from './tips.js'

const all = (selector) => document.querySelectorAll(selector)

document.documentElement.classList.add('script')

const chips = [...all('.chip[data-family]')]
const isOn = (chip) => chip.getAttribute('aria-pressed') === 'true'

/** A click on one of all methods leaves that one alone; then each click adds or takes one, and without any all are back. */
function choose(chip) {
  const shown = chips.filter(isOn)
  const wanted =
    shown.length === chips.length
      ? [chip]
      : isOn(chip)
        ? shown.filter((one) => one !== chip)
        : [...shown, chip]
  for (const one of chips) showFamily(one, wanted.length === 0 || wanted.includes(one))
}

/** Shows or hides all that belongs to a method. */
function showFamily(chip, on) {
  chip.setAttribute('aria-pressed', String(on))
  for (const row of all(`tr.f-${chip.dataset.family}`)) row.hidden = !on
  for (const part of all(`.plot :is(.mark, .name, .paper, .key).f-${chip.dataset.family}`))
    part.classList.toggle('off', !on)
}

for (const chip of chips) chip.addEventListener('click', () => choose(chip))
for (const [name, className] of [
  ['paper', 'with-paper'],
  ['log', 'with-log'],
])
  for (const chip of all(`.chip[data-${name}]`))
    chip.addEventListener('click', () => {
      const on = !isOn(chip)
      chip.setAttribute('aria-pressed', String(on))
      document.getElementById(chip.dataset[name]).classList.toggle(className, on)
    })
for (const button of all('thead button')) button.addEventListener('click', () => sortBy(button))
for (const scroll of all('.scroll')) watchWidth(scroll)
for (const drawing of all('.plot svg')) {
  // a title would come up as a second tip
  const title = drawing.querySelector(':scope > title')
  drawing.setAttribute('aria-label', title.textContent)
  drawing.setAttribute('aria-describedby', drawing.getAttribute('aria-labelledby').split(' ')[1])
  drawing.removeAttribute('aria-labelledby')
  title.remove()
  nameMarks(drawing)
  if (drawing.dataset.x !== undefined) curvesOf(drawing)
}
for (const mark of all('.plot .mark:not([data-values])')) tipsOf(mark)

for (const list of all('select[data-read]')) readOff(list)
const side = document.getElementById('_compare')
if (side) comparison(side)
const texts = document.getElementById('_samples')
if (texts) samplesOf(document.getElementById('_texts'), JSON.parse(texts.textContent))

const menu = document.getElementById('_menu')
for (const link of all('.bar a'))
  link.addEventListener('click', () => {
    menu.checked = false
  })

const bar = document.querySelector('.bar')
new ResizeObserver(() =>
  document.documentElement.style.setProperty('--bar', `${bar.offsetHeight}px`),
).observe(bar)
