import { text as checkText, outOfRange } from '../input.ts'
import { type Attack, noAttack } from './attack.ts'
import { copyPaste, truncate } from './excerpts.ts'
import { insert, remove, replace } from './random-edits.ts'

/** Attacks on tokens that need nothing but numbers, by the name their ids begin with. */
const attacks: Readonly<Record<string, (parameters: Record<string, number>) => Attack>> = {
  none: noAttack,
  replace: ({ rate }) => replace({ rate: rate! }),
  insert: ({ rate }) => insert({ rate: rate! }),
  delete: ({ rate }) => remove({ rate: rate! }),
  truncate: ({ keep }) => truncate({ keep: keep! }),
  copyPaste: ({ share, pieces }) => copyPaste({ share: share!, ...(pieces === undefined ? {} : { pieces }) }),
}

/**
 * The attack with this id: the inverse of `id`.
 *
 * @example parseAttack('replace(rate=0.3)').id // 'replace(rate=0.3)'
 */
export function parseAttack(id: string): Attack {
  const match = /^(\w+)\s*(?:\(([^()]*)\))?$/.exec(checkText('attack', id, 10_000).trim())
  const make = match && Object.hasOwn(attacks, match[1]!) ? attacks[match[1]!]! : undefined
  if (match === null || make === undefined)
    throw outOfRange('attack', `one of ${Object.keys(attacks).join(', ')}, as in replace(rate=0.3)`, id)
  const parameters: Record<string, number> = Object.create(null)
  for (const part of (match[2] ?? '').split(',').filter((text) => text.trim() !== '')) {
    const [name, value, ...more] = part.split('=').map((text) => text.trim())
    if (!value || more.length > 0 || !Number.isFinite(Number(value)))
      throw outOfRange('attack', 'parameters as name=number', part)
    parameters[name!] = Number(value)
  }
  const attack = make(parameters)
  const known: string[] = attack.id.match(/\w+(?==)/g) ?? []
  const unknown = Object.keys(parameters).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw outOfRange('attack', `${match[1]} with ${known.join(', ') || 'no parameters'}`, unknown)
  return attack
}
