import { type Command, UsageError } from './command.ts'
import { initPython } from './init-python.ts'

export const init: Command = {
  usage: '--python [FOLDER]',
  summary: 'Writes a watermark to start from, in Python, and a CI workflow that checks it.',
  words: 1,
  flags: { python: { help: 'a Python watermark and uwbench_testee.py, which serves it' } },
  async run(input, output) {
    if (!input.on('python')) throw new UsageError('expected --python (see uwbench init --help)')
    const [folder = '.'] = input.words
    if (folder === '') throw new UsageError('expected the name of a folder, got an empty one')
    return initPython(folder, output)
  },
}
