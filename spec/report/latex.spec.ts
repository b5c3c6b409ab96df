/** The committed tables in a real LaTeX: they compile, and none is wider than the page. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { toLatex } from '../../src/bench/report/latex.ts'
import { root } from '../commands/program.ts'
import { requireComponent } from '../require.ts'
import { sample } from './sample.ts'

const folder = mkdtempSync(join(tmpdir(), 'uwbench-latex-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const there = spawnSync('pdflatex', ['--version']).status === 0
const install = 'apt-get install --no-install-recommends texlive-latex-base texlive-latex-recommended'

test('every table compiles in two columns, and none is too wide', (context) => {
  requireComponent(context, 'pdflatex', there, install)
  const reports = join(root, 'reports')
  const files = readdirSync(reports).filter((file) => file.endsWith('.tex'))
  expect(files.length).toBeGreaterThan(10)
  const inputs = files.map((file) => `${readFileSync(join(reports, file), 'utf8')}\\clearpage`)
  const document = [
    '\\documentclass[twocolumn]{article}',
    '\\usepackage{booktabs,graphicx}',
    '\\begin{document}',
  ]
  writeFileSync(
    join(folder, 'all.tex'),
    [...document, ...inputs, toLatex(sample), '\\end{document}'].join('\n'),
  )
  execFileSync('pdflatex', ['-interaction=nonstopmode', '-halt-on-error', 'all.tex'], { cwd: folder })
  expect(readFileSync(join(folder, 'all.log'), 'latin1').match(/Overfull \\hbox.*/g) ?? []).toEqual([])
})
