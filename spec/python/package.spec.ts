/** The Python package installs without a network, and its parts work from the installed wheel. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { build, program, temporaryFolder } from '../commands/program.ts'
import { requireComponent } from '../require.ts'
import { python, root, withPytest } from './interpreters.ts'

const folder = temporaryFolder('python-package')
const site = join(folder, 'site')
const pip = [python, withPytest].find(
  (one) => one !== undefined && spawnSync(one, ['-m', 'pip', '--version']).status === 0,
)

/** No index to ask: a build or an install that wants to download something fails. */
const offline = {
  ...process.env,
  PIP_NO_INDEX: '1',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  PYTHONDONTWRITEBYTECODE: '1',
}

function call(words: readonly string[], more: NodeJS.ProcessEnv = {}) {
  return spawnSync(words[0]!, words.slice(1), { cwd: folder, env: { ...offline, ...more }, encoding: 'utf8' })
}

const version = (name: string): string => JSON.parse(readFileSync(join(root, name), 'utf8')).version

test('pip builds the wheel and installs it with no index and nothing but Python', (context) => {
  requireComponent(context, 'pip', pip !== undefined, 'apt-get install python3-pip')
  const installed = call([pip!, '-m', 'pip', 'install', '--quiet', '--target', site, join(root, 'python')])
  expect(installed.stderr.replace(/^WARNING: Running pip as.*\n/m, '').replace(/^\[notice\].*\n/gm, '')).toBe(
    '',
  )
  const script =
    'import uwbench, uwbench.lists, uwbench.testee, uwbench.generate; print(uwbench.__file__, uwbench.__version__, len(uwbench.lists.sir_list(())))'
  const { stdout, stderr } = call([pip!, '-c', script], { PYTHONPATH: site })
  expect(stderr).toBe('')
  // networks are data files beside the code
  expect(stdout).toBe(`${site}/uwbench/__init__.py ${version('package.json')} 300\n`)
})

test('wheel and source archive have the same bytes every time', (context) => {
  requireComponent(context, 'python', python !== undefined)
  const script = `
import hashlib, io, pathlib, sys, tempfile, zipfile
sys.path.insert(0, ${JSON.stringify(join(root, 'python'))})
import wheel_backend
with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
    name = wheel_backend.build_wheel(a)
    assert pathlib.Path(a, name).read_bytes() == pathlib.Path(b, wheel_backend.build_wheel(b)).read_bytes()
    files = zipfile.ZipFile(pathlib.Path(a, name)).namelist()
    assert wheel_backend.build_sdist(b).endswith(".tar.gz")
print(name, all(f.startswith("uwbench") for f in files), any("__pycache__" in f for f in files))`
  expect(call([python!, '-c', script]).stdout).toBe(
    `uwbench-${version('package.json')}-py3-none-any.whl True False\n`,
  )
})

test('uwbench.testee is the file that init writes', () => {
  const [own, served] = ['python/uwbench/testee.py', 'testee/uwbench_testee.py'].map((name) =>
    readFileSync(join(root, name), 'utf8'),
  )
  expect(own).toBe(served)
})

const TESTS = `
import math
import random


class Green:
    """Half of the tokens are green and gain what red ones lose; repeated contexts are left alone."""

    def __init__(self, key):
        self.key = key

    def __call__(self, input_ids, scores):
        return [self.row(list(map(int, ids)), [float(x) for x in row]) for ids, row in zip(input_ids, scores)]

    def row(self, ids, scores):
        window = ids[-2:]
        if len(window) < 2 or window in [ids[i : i + 2] for i in range(len(ids) - 2)]:
            return scores
        generator = random.Random(f"{self.key} {window}")
        p = [math.exp(x) for x in scores]
        green = [generator.random() < 0.5 for _ in p]
        mass = sum(x for x, is_green in zip(p, green) if is_green)
        q = [x * (is_green + 1 - mass) for x, is_green in zip(p, green)]
        return [math.log(x) if x > 0 else -math.inf for x in q]


class Remembers:
    """Marks with a counter of its own calls: only right if made anew for each text."""

    def __init__(self, key):
        self.key, self.calls = key, 0

    def __call__(self, input_ids, scores):
        self.calls += 1
        generator = random.Random(f"{self.key} {self.calls}")
        row = [float(x) for x in scores[0]]
        best = min(range(len(row)), key=lambda i: (-math.log(generator.random()) / math.exp(row[i])) if row[i] > -math.inf else math.inf)
        return [[0.0 if i == best else -math.inf for i in range(len(row))]]


class Louder(Green):
    def row(self, ids, scores):
        return [x + (0.5 if i == 0 else 0) for i, x in enumerate(super().row(ids, scores))]


def test_correct(uwbench):
    printed = uwbench.check(Green, tensors="lists", law="reweight gives a distribution")
    assert "holds  reweight gives a distribution" in printed


def test_stateful(uwbench):
    uwbench.check(Remembers, tensors="lists", stateful=True, law="same key, same result")


def test_own(uwbench):
    uwbench.check("dipmark(alpha=0.4)", law="same key, same result")


def test_wrong(uwbench):
    uwbench.check(Louder, tensors="lists", law="unbiased over keys")


def test_raises(uwbench):
    uwbench.check(reweight=lambda key, context, p: 1 / 0, law="unbiased over keys")
`

test('the pytest fixture passes a correct watermark and shows the counterexample of a wrong one', (context) => {
  requireComponent(context, 'pytest', withPytest !== undefined, 'apt-get install python3-pytest')
  requireComponent(context, 'pip', pip !== undefined, 'apt-get install python3-pip')
  build()
  writeFileSync(join(folder, 'test_mine.py'), TESTS)
  const { stdout } = call([withPytest!, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'test_mine.py'], {
    PYTHONPATH: site, // its entry point gives the fixture
    UWBENCH_CLI: `${process.execPath} ${program}`,
  })
  expect(stdout).toMatch(/2 failed, 3 passed/)
  expect(stdout).toMatch(/Louder breaks the law "unbiased over keys"/)
  expect(stdout).toMatch(/found: +after [\d,]+ keys the mean of q is 0\.\d+ away from p on token/)
  expect(stdout).toMatch(
    /replay: +uwbench\.check\(\.\.\., law='unbiased over keys', seed=\d+, path='[^']+'\)/,
  )
  expect(stdout).toMatch(
    /the gate could not run: .*ZeroDivisionError: division by zero \(test_mine\.py, line \d+\)/,
  )
  expect(stdout).not.toContain('During handling of the above exception')
})

test('without the program the fixture says what is missing', (context) => {
  requireComponent(context, 'pytest', withPytest !== undefined, 'apt-get install python3-pytest')
  requireComponent(context, 'pip', pip !== undefined, 'apt-get install python3-pip')
  writeFileSync(join(folder, 'test_none.py'), 'def test_none(uwbench):\n    uwbench.check("gumbel")\n')
  const { stdout } = call([withPytest!, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'test_none.py'], {
    PYTHONPATH: site,
    UWBENCH_CLI: '/no/such/uwbench',
  })
  expect(stdout).toContain('uwbench: expected a program /no/such/uwbench, got No such file or directory')
})
