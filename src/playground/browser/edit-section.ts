/** A text to edit or to paste: its p-value, the radius that is certified, and what other keys say. */
import type { Client } from './client.ts'
import { byId, element } from './elements.ts'
import { count, pValue } from './numbers.ts'
import type { Verdict } from './protocol.ts'
import { freshKey, type SetupForm } from './setup-form.ts'
import { tokenElement } from './text-view.ts'

/** Milliseconds after the last key press. */
const PAUSE = 150

const textOf = ({ pieces }: Verdict): string => pieces.map(({ text }) => text).join('')

/** What the certificate says about edits still to come. */
function certificate({ radius, detected, edits }: Verdict): string {
  if (typeof radius === 'string') return `Nothing is certified: ${radius}.`
  const made = edits === undefined || edits === 0 ? '' : `${count(edits, 'token edit')} made. `
  if (!detected) return `${made}Not detected at 1%, so there is nothing to certify.`
  if (radius === 0) return `${made}Detected, but one more edit might undo it.`
  return `${made}Certified: ${radius === 1 ? 'any token inserted, deleted or replaced' : `any ${radius} tokens inserted, deleted or replaced`}, this text stays detected at 1%.`
}

export interface EditSection {
  offer(verdicts: readonly [Verdict, Verdict]): void
}

export function editSection(client: Client, form: SetupForm, onError: (error: unknown) => void): EditSection {
  const area = byId<HTMLTextAreaElement>('edited')
  let offered: readonly [Verdict, Verdict] | undefined
  let original: readonly number[] | undefined
  let timer: number | undefined
  let latest = 0

  const show = (verdict: Verdict): void => {
    byId('edited-p').replaceChildren(...pValue(verdict.logPValue))
    byId('edited-said').textContent =
      `${verdict.detected ? 'Detected' : 'Not detected'} at 1% by ${verdict.watermark}, from ${count(verdict.scored, 'scored token')} of ${verdict.tokens.length}.`
    byId('radius').textContent = certificate(verdict)
    byId('edited-text').replaceChildren(...verdict.pieces.map(tokenElement))
    byId('edit-result').classList.toggle('detected', verdict.detected)
  }
  const detect = async (): Promise<void> => {
    latest++
    const mine = latest
    try {
      const input = { ...form.chosen(), text: area.value, ...(original && { original }) }
      const verdict = await client.ask('detect', input).answer
      if (mine === latest) show(verdict)
    } catch (error) {
      onError(error)
    }
  }
  const soon = (): void => {
    clearTimeout(timer)
    timer = window.setTimeout(() => void detect(), PAUSE)
  }
  const take = (side: 0 | 1): void => {
    if (offered === undefined) return
    area.value = textOf(offered[side])
    original = undefined
    byId('other-keys').replaceChildren()
    // the text as its tokens are read back, so that reading it costs no edits
    void client
      .ask('detect', { ...form.chosen(), text: area.value })
      .answer.then(({ tokens }) => {
        original = tokens
        return detect()
      })
      .catch(onError)
  }
  const tryKey = async (): Promise<void> => {
    const key = freshKey()
    try {
      const { logPValue } = await client.ask('detect', { ...form.chosen(), key, text: area.value }).answer
      byId('other-keys').prepend(element('li', {}, element('code', {}, key), ' ', ...pValue(logPValue)))
    } catch (error) {
      onError(error)
    }
  }
  area.addEventListener('input', soon)
  form.onChosen(soon)
  byId('take-marked').addEventListener('click', () => take(1))
  byId('take-plain').addEventListener('click', () => take(0))
  byId('try-key').addEventListener('click', () => void tryKey())
  return {
    offer(verdicts) {
      offered = verdicts
      take(1)
    },
  }
}
