/** The page of the playground. */
import { startClient } from './client.ts'
import { driftSection } from './drift-section.ts'
import { editSection } from './edit-section.ts'
import { byId } from './elements.ts'
import { setupForm } from './setup-form.ts'
import { writeSection } from './write-section.ts'

const status = byId('status')

function say(message: string, wrong = false): void {
  status.textContent = message
  status.classList.toggle('wrong', wrong)
}

const failed = (error: unknown): void => say((error as Error).message, true)

/** Keeps the page in the browser for use offline. A page opened as a file does without. */
function keepOffline(): void {
  if (!('serviceWorker' in navigator)) return
  navigator.serviceWorker.register('service-worker.js', { type: 'module' }).then(
    async () => {
      await navigator.serviceWorker.ready
      document.documentElement.dataset.offline = 'ready'
    },
    () => undefined,
  )
}

async function start(): Promise<void> {
  const client = startClient(new Worker('worker.js', { type: 'module' }))
  const { methods, manifest } = await client.ask('open', null).answer
  const form = setupForm(methods, manifest)
  const edit = editSection(client, form, failed)
  const section = writeSection(client, form, {
    onStart: () => say(''),
    onWritten: edit.offer,
    onError: failed,
  })
  driftSection(client, form, failed)

  const load = async (): Promise<void> => {
    const { model } = form
    say(`loading ${model}`)
    try {
      await client.ask('load', { model }, ({ loaded, total }) =>
        say(`loading ${model}: ${Math.round((100 * loaded) / total)}%`),
      ).answer
      say('')
      byId('setup').removeAttribute('aria-busy')
      for (const button of document.querySelectorAll<HTMLButtonElement>('[data-needs-model]'))
        button.disabled = false
      await section.write()
      keepOffline()
    } catch (error) {
      failed(error)
    }
  }
  byId('next-prompt').addEventListener('click', () => {
    form.nextPrompt()
    void section.write()
  })
  byId('setup').addEventListener('submit', (event) => event.preventDefault())
  byId('setup').addEventListener('change', ({ target }) => {
    if ((target as HTMLElement).id !== 'model') say('')
  })
  form.onModel(() => void load())
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void section.write()
    if (event.key === 'Escape') section.stop()
  })
  await load()
}

start().catch(failed)
