/** The viewer of texts: tokens in the colour of their score, before and after. */

/** A p-value as people read it. */
const readableP = (p) => (p >= 0.001 ? p.toFixed(3) : p.toExponential(1))

/** One text with its p-value. */
function textOf({ label, pValue, text, lengths, shades }) {
  const box = document.createElement('div')
  const head = document.createElement('h3')
  head.textContent = `${label}: p = ${readableP(pValue)}`
  const body = document.createElement('p')
  body.className = 'tokens'
  let at = 0
  for (const [i, length] of (lengths.match(/\d|(?<=\()[^)]*/g) ?? []).map(Number).entries()) {
    const piece = document.createElement('span')
    if (/^[a-u]$/.test(shades[i] ?? '')) piece.className = `s-${shades[i]}`
    piece.textContent = text.slice(at, at + length)
    at += length
    body.append(piece)
  }
  box.append(head, body)
  return box
}

const fill = (list, items) => list.replaceChildren(...items.map(([text, value]) => new Option(text, value)))

/** Opens the viewer from cells and names of rows that samples belong to. */
export function samplesOf(dialog, samples) {
  const [method, prompt, kind] = ['method', 'prompt', 'kind'].map((name) =>
    document.getElementById(`_texts-${name}`),
  )
  const own = () => samples.filter(({ row }) => row === method.value)
  const current = () => own()[Number(prompt.value)] ?? own()[0]
  const rows = new Map(samples.map(({ row, label }) => [row, label]))
  fill(
    method,
    [...rows].map(([row, label]) => [label, row]),
  )
  const show = () => {
    const sample = current()
    dialog.querySelector('.prompt').textContent = `Prompt: ${sample.prompt}`
    const [first, ...rest] = sample.texts
    const other = rest.find(({ id }) => id === kind.value)
    dialog.querySelector('.pair').replaceChildren(...[first, ...(other ? [other] : [])].map(textOf))
  }
  /** The lists of a method: its prompts, and the texts to put beside the one that was written. */
  const choose = (wanted) => {
    fill(
      prompt,
      own().map(({ model }, i) => [model ? `${i + 1} (${model})` : String(i + 1), String(i)]),
    )
    const rest = current().texts.slice(1)
    fill(
      kind,
      rest.map(({ id, label }) => [label, id]),
    )
    if (rest.some(({ id }) => id === wanted)) kind.value = wanted
    show()
  }
  method.addEventListener('change', () => choose(kind.value))
  prompt.addEventListener('change', show)
  kind.addEventListener('change', show)
  const open = (row, texts) => {
    method.value = row
    choose(texts)
    dialog.showModal()
  }
  const known = new Map(
    [...rows.keys()].map((row) => [
      row,
      new Set(samples.find((one) => one.row === row).texts.map(({ id }) => id)),
    ]),
  )
  for (const head of document.querySelectorAll('main th[data-row]')) {
    const { row } = head.dataset
    const columns = [...head.closest('table').querySelectorAll('th[data-texts]')].filter(({ dataset }) =>
      known.get(row)?.has(dataset.texts),
    )
    const cells = columns
      .map(({ cellIndex, dataset }) => ({
        cell: head.parentElement.children[cellIndex],
        texts: dataset.texts,
      }))
      .filter(({ cell }) => cell.textContent !== '\u2013')
    if (cells.length === 0) continue
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'see'
    button.textContent = 'texts'
    button.setAttribute('aria-label', `Texts of ${rows.get(row)}`)
    button.addEventListener('click', () => open(row))
    head.append(button)
    for (const { cell, texts } of cells) {
      cell.classList.add('has-texts')
      cell.addEventListener('click', () => open(row, texts))
    }
  }
}
