/** The form: method, its parameters, key, prompt. Parameters come from the declarations. */
import { byId, element } from './elements.ts'
import type { Chosen, Manifest, MethodInfo, ParameterInfo } from './protocol.ts'

export type SetupForm = ReturnType<typeof setupForm>

/** Returns a random key. */
export const freshKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join('')

const FIRST = 'synthid'

function field({ name, expected, initial, options }: ParameterInfo): HTMLElement {
  const id = `parameter-${name}`
  const attributes = { id, name, title: expected }
  const input = options
    ? element('select', attributes, ...options.map((option) => element('option', {}, option)))
    : element('input', {
        ...attributes,
        inputmode: 'decimal',
        autocomplete: 'off',
        spellcheck: 'false',
        placeholder: initial,
      })
  input.value = initial
  return element('div', { class: 'field small' }, element('label', { for: id }, name), input)
}

function fillModels({ models, missing }: Manifest): void {
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`
  byId('model').replaceChildren(
    ...models.map(({ name, about, bytes }) =>
      element('option', { value: name }, `${name}: ${about}, ${megabytes(bytes)}`),
    ),
  )
  byId('missing').textContent = missing === undefined ? '' : `${missing}.`
}

function fillMethods(methods: readonly MethodInfo[], first: string | undefined): void {
  const options = (list: readonly MethodInfo[]) => list.map(({ name }) => element('option', {}, name))
  const own = methods.filter((method) => method.own)
  const shipped = methods.filter((method) => !method.own)
  const select = byId<HTMLSelectElement>('method')
  select.replaceChildren(
    ...(own.length > 0
      ? [
          element('optgroup', { label: 'your own' }, ...options(own)),
          element('optgroup', { label: 'shipped' }, ...options(shipped)),
        ]
      : options(shipped)),
  )
  select.value = first ?? own[0]?.name ?? FIRST
}

export function setupForm(methods: readonly MethodInfo[], manifest: Manifest) {
  const method = byId<HTMLSelectElement>('method')
  const model = byId<HTMLSelectElement>('model')
  const key = byId<HTMLInputElement>('key')
  const message = byId<HTMLInputElement>('message')
  const prompt = byId<HTMLTextAreaElement>('prompt')
  const parameters = byId('parameters')
  const listeners: (() => void)[] = []
  const changed = (): void => {
    for (const listener of listeners) listener()
  }
  const showParameters = (): void => {
    const info = methods.find(({ name }) => name === method.value)!
    parameters.replaceChildren(...info.parameters.map(field))
    byId('claim').textContent = `This method claims to be ${info.claim}.`
  }
  let at = 0
  const promptsOf = () => manifest.models.find(({ name }) => name === model.value)!.prompts
  const showPrompt = (): void => {
    prompt.value = promptsOf()[at % promptsOf().length]!
  }
  fillModels(manifest)
  fillMethods(methods, manifest.first?.method)
  showParameters()
  for (const [name, value] of Object.entries(manifest.first?.values ?? {}))
    byId<HTMLInputElement>(`parameter-${name}`).value = value
  showPrompt()
  method.addEventListener('change', () => {
    showParameters()
    changed()
  })
  parameters.addEventListener('change', changed)
  key.addEventListener('input', changed)
  message.addEventListener('input', changed)
  byId('new-key').addEventListener('click', () => {
    key.value = freshKey()
    changed()
  })
  return {
    chosen: (): Chosen => ({
      method: method.value,
      key: key.value,
      message: message.value,
      // only fields of parameters have a name
      values: Object.fromEntries(new FormData(byId<HTMLFormElement>('setup'))) as Record<string, string>,
    }),
    sampling: () => ({
      prompt: prompt.value,
      tokens: Number(byId<HTMLInputElement>('tokens').value),
      temperature: Number(byId<HTMLInputElement>('temperature').value),
    }),
    get model() {
      return model.value
    },
    /** Shows another prompt of the model. */
    nextPrompt(): void {
      at++
      showPrompt()
    },
    /** Calls `listener` after each change of the watermark or the key. */
    onChosen: (listener: () => void) => void listeners.push(listener),
    onModel: (listener: () => void) =>
      model.addEventListener('change', () => {
        at = 0
        showPrompt()
        listener()
      }),
  }
}
