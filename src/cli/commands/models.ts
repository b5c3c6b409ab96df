import type { Part } from '../../bench/study/index.ts'
import type { Command } from './command.ts'
import { printJson, printLine } from './output.ts'
import { scaleFlag, size, studyOfInput } from './scale.ts'

const INDENT = ' '.repeat(9)

/** The lines of a part: how each begins, and its text. */
function lines({
  need: { kind, name },
  role,
  found,
  place,
  bytes,
  digest,
  advice,
}: Part): [string, string][] {
  const facts = [bytes === undefined ? '' : size(bytes), digest === undefined ? '' : `digest ${digest}`]
  return [
    [`${found ? 'there  ' : 'missing'}  ${kind.padEnd(7)}  `, `${name}  (${role})`],
    [INDENT, `${found ? 'at' : 'looked in'} ${place}`],
    ...facts.filter(Boolean).map((fact): [string, string] => [INDENT, fact]),
    ...(found || advice === undefined ? [] : [[INDENT, `to do: ${advice}`] as [string, string]]),
  ]
}

export const models: Command = {
  usage: '[--scale paper] [--digest]',
  summary:
    'Lists the models and data of a scale: where they are, how large, what to do. Exit code 1: some are missing.',
  flags: {
    ...scaleFlag,
    digest: { help: 'also read the weights for their digests' },
    json: { help: 'print JSON' },
  },
  async run(input, output) {
    const study = await studyOfInput(input)
    if (output.isTerminal) output.error(`looking for the models and data of the scale ${study.scale}`)
    const { inventory } = await import('../../bench/study/index.ts')
    const { Resources } = await import('../../bench/steps/index.ts')
    const resources = new Resources({ data: study.paths ?? {} })
    const parts = await inventory(study, resources, input.on('digest'))
    if (input.on('json'))
      printJson(
        output,
        parts.map(({ need: { kind, name }, ...part }) => ({ kind, name, ...part })),
      )
    else
      for (const part of parts)
        for (const [first, text] of lines(part)) printLine(output, first, text, `${INDENT}  `)
    return parts.every(({ found }) => found) ? 0 : 1
  },
}
