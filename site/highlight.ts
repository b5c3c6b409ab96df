/** Highlights code: comments, strings, numbers and keywords. */
import { escapeHtml } from '../src/bench/report/escape.ts'

const SCRIPT =
  /(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|(?<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)|(?<word>\b(?:import|export|from|const|let|function|return|if|else|for|of|in|while|new|class|extends|async|await|type|interface|readonly|default|throw|try|catch|finally|true|false|undefined|null|as|typeof)\b)|(?<number>\b\d[\d_.]*(?:e-?\d+)?\b)/g
const SHELL = /(?<comment>(?<=^|\s)#.*)|(?<string>'[^'\n]*'|"(?:[^"\\\n]|\\.)*")/gm
const PYTHON =
  /(?<comment>#.*)|(?<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|(?<word>\b(?:import|from|def|return|if|else|elif|for|in|while|class|with|as|lambda|not|and|or|None|True|False|raise|try|except)\b)|(?<number>\b\d[\d_.]*(?:e-?\d+)?\b)/g

const rules: Readonly<Record<string, RegExp>> = {
  ts: SCRIPT,
  js: SCRIPT,
  mjs: SCRIPT,
  cjs: SCRIPT,
  json: SCRIPT,
  sh: SHELL,
  bash: SHELL,
  yaml: SHELL,
  yml: SHELL,
  python: PYTHON,
  py: PYTHON,
}

/** Returns the code as HTML. */
export function highlight(code: string, language: string): string {
  const rule = rules[language]
  if (rule === undefined) return escapeHtml(code)
  let html = ''
  let at = 0
  for (const match of code.matchAll(rule)) {
    const [kind] = Object.entries(match.groups!).find(([, found]) => found !== undefined)!
    html += `${escapeHtml(code.slice(at, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`
    at = match.index + match[0].length
  }
  return html + escapeHtml(code.slice(at))
}
