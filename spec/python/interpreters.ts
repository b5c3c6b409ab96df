/** Python programs for the specs of the Python package: with the standard library alone, with numpy, with torch. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const root: string = fileURLToPath(new URL('../..', import.meta.url))

/** The package as it lies in the repository, and no compiled files beside it. */
export const env: NodeJS.ProcessEnv = {
  ...process.env,
  PYTHONPATH: `${root}python`,
  PYTHONDONTWRITEBYTECODE: '1',
}

/** The first interpreter that runs a line of Python; Debian's packages belong to Debian's Python. */
const whichRuns = (line: string): string | undefined =>
  ['python3', '/usr/bin/python3'].find((program) => spawnSync(program, ['-c', line]).status === 0)

export const python: string | undefined = whichRuns('import json')
export const withNumpy: string | undefined = whichRuns('import numpy')
export const withTorch: string | undefined = whichRuns('import torch')
export const withPytest: string | undefined = whichRuns('import pytest')

/** Runs Python; its standard output. Throws with its standard error where it fails. */
export function run(command: readonly string[], input = '', cwd = root): string {
  const { status, stdout, stderr, error } = spawnSync(command[0]!, command.slice(1), {
    input,
    env,
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (status !== 0) throw new Error(`${command.join(' ')}: ${error?.message ?? stderr}`)
  return stdout
}
