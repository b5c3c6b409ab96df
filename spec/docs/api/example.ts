/**
 * Examples of doc comments as programs. An example names what it imports by using it: `detect(gumbel(), ...)` needs no import line,
 * the page adds it. A comment behind a statement is its result where it reads as one, and is compared to the digits shown:
 *
 *   quantile([1, 2, 3, 4], 0.5) // 2.5
 *   log1mexp(Math.log(0.25)) // ln 0.75 = -0.2877       what follows the last ` = `
 *   kernels.kind // 'wasm': compiled                    what precedes the first `: ` or `; `
 *   amplificationBracket(0.9, 0.5) // { low: 2, ... }   the rest is not shown
 */
import ts from 'typescript'

const parse = (text: string): ts.SourceFile =>
  ts.createSourceFile('example.js', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS)

/** Names that an example uses and does not declare itself. */
export function namesIn(example: string): Set<string> {
  const used = new Set<string>()
  const declared = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      const { parent } = node
      const isMember =
        (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
        (ts.isPropertyAssignment(parent) && parent.name === node) ||
        (ts.isBindingElement(parent) && parent.propertyName === node) ||
        (ts.isMethodDeclaration(parent) && parent.name === node)
      const isDeclared =
        (ts.isVariableDeclaration(parent) || ts.isParameter(parent) || ts.isBindingElement(parent)) &&
        parent.name === node
      if (isDeclared) declared.add(node.text)
      else if (!isMember) used.add(node.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(parse(example))
  return new Set([...used].filter((name) => !declared.has(name)))
}

/** A result as a comment states it. */
type Shown =
  | { readonly kind: 'number'; readonly value: number; readonly tolerance: number }
  | { readonly kind: 'plain'; readonly value: unknown }
  | { readonly kind: 'list'; readonly items: readonly Shown[]; readonly partial: boolean }
  | { readonly kind: 'record'; readonly fields: ReadonlyMap<string, Shown>; readonly partial: boolean }

/** Half a unit in the last digit that a numeral shows; whole numbers are exact. */
function toleranceOf(numeral: string): number {
  const [digits, exponent = '0'] = numeral.toLowerCase().split('e')
  const places = digits!.split('.')[1]?.length ?? 0
  return places === 0 && exponent === '0' ? 0 : 0.5000001 * 10 ** (Number(exponent) - places)
}

const names: Readonly<Record<string, unknown>> = { Infinity, NaN, undefined }
const operators: Readonly<Record<string, (a: number, b: number) => number>> = {
  '/': (a, b) => a / b,
  '*': (a, b) => a * b,
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
}

/** An expression as a result; undefined where it is none. */
function shownBy(node: ts.Expression): Shown | undefined {
  if (ts.isNumericLiteral(node)) {
    const text = node.getText()
    return { kind: 'number', value: Number(text.replaceAll('_', '')), tolerance: toleranceOf(text) }
  }
  if (ts.isBigIntLiteral(node)) return { kind: 'plain', value: BigInt(node.text.slice(0, -1)) }
  if (ts.isStringLiteralLike(node)) return { kind: 'plain', value: node.text }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return { kind: 'plain', value: true }
  if (node.kind === ts.SyntaxKind.FalseKeyword) return { kind: 'plain', value: false }
  if (node.kind === ts.SyntaxKind.NullKeyword) return { kind: 'plain', value: null }
  if (ts.isIdentifier(node) && Object.hasOwn(names, node.text))
    return { kind: 'plain', value: names[node.text] }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
    const of = shownBy(node.operand)
    if (of?.kind === 'number') return { ...of, value: -of.value }
    return of?.kind === 'plain' && of.value === Infinity ? { kind: 'plain', value: -Infinity } : undefined
  }
  if (ts.isBinaryExpression(node)) return arithmetic(node)
  if (ts.isArrayLiteralExpression(node)) return listOf(node)
  return ts.isObjectLiteralExpression(node) ? recordOf(node) : undefined
}

function arithmetic({ left, right, operatorToken }: ts.BinaryExpression): Shown | undefined {
  const [a, b, apply] = [shownBy(left), shownBy(right), operators[operatorToken.getText()]]
  if (a?.kind !== 'number' || b?.kind !== 'number' || apply === undefined) return undefined
  const value = apply(a.value, b.value)
  return { kind: 'number', value, tolerance: 1e-12 * Math.abs(value) }
}

/** `...` at the end of a list or a record: the rest is not shown. */
const REST = '__rest'
const isRest = (node: ts.Node): boolean =>
  (ts.isSpreadElement(node) || ts.isSpreadAssignment(node)) && node.expression.getText() === REST

function listOf(node: ts.ArrayLiteralExpression): Shown | undefined {
  const items = node.elements.filter((item) => !isRest(item)).map(shownBy)
  if (items.includes(undefined)) return undefined
  return { kind: 'list', items: items as Shown[], partial: node.elements.some(isRest) }
}

function recordOf(node: ts.ObjectLiteralExpression): Shown | undefined {
  const fields = new Map<string, Shown>()
  for (const property of node.properties) {
    if (isRest(property)) continue
    if (!ts.isPropertyAssignment(property)) return undefined
    const shown = shownBy(property.initializer)
    if (shown === undefined) return undefined
    fields.set(property.name.getText().replaceAll(/^['"]|['"]$/g, ''), shown)
  }
  return { kind: 'record', fields, partial: node.properties.some(isRest) }
}

function readShown(text: string): Shown | undefined {
  const source = parse(`(${text.replace(/^\w+Array /, '').replaceAll(/\.\.\.(?=\s*[\]}])/g, `...${REST}`)})`)
  const { parseDiagnostics = [] } = source as unknown as { parseDiagnostics?: unknown[] }
  const [statement, ...more] = source.statements
  if (parseDiagnostics.length > 0 || more.length > 0 || !statement || !ts.isExpressionStatement(statement))
    return undefined
  const inner = statement.expression
  return ts.isParenthesizedExpression(inner) ? shownBy(inner.expression) : undefined
}

/** The result that a comment states; undefined where it only says something. */
export function resultIn(comment: string): Shown | undefined {
  const parts = [comment, comment.split(/[:;] /)[0]!, comment.slice(comment.lastIndexOf(' = ') + 3)]
  return parts.map((part) => readShown(part.trim())).find((shown) => shown !== undefined)
}

/** Whether a value is what was shown, to the digits shown. */
export function matches(value: unknown, shown: Shown): boolean {
  if (shown.kind === 'plain') return Object.is(value, shown.value)
  if (shown.kind === 'number')
    return typeof value === 'number' && Math.abs(value - shown.value) <= shown.tolerance
  if (value === null || typeof value !== 'object') return false
  if (shown.kind === 'list') {
    const list =
      Array.isArray(value) || ArrayBuffer.isView(value) ? Array.from(value as ArrayLike<unknown>) : []
    const long = shown.partial ? list.length >= shown.items.length : list.length === shown.items.length
    return long && shown.items.every((item, i) => matches(list[i], item))
  }
  const record = value as Record<string, unknown>
  const fields = [...shown.fields]
  const known = Object.keys(record).filter((key) => record[key] !== undefined)
  return (
    (shown.partial || known.length === fields.length) &&
    fields.every(([key, field]) => key in record && matches(record[key], field))
  )
}

/** The comment behind a statement, on its last line. */
const remarkAfter = (node: ts.Node, text: string): string | undefined =>
  /^[ \t;]*\/\/ ?(.*)/.exec(text.slice(node.end).split('\n')[0]!)?.[1]

/** The example as the body of an async function that reports each result to `check(result, comment)`. */
export function programOf(example: string): string {
  return parse(example)
    .statements.map((node) => {
      const text = node.getText()
      const remark = remarkAfter(node, example)
      if (remark === undefined || resultIn(remark) === undefined) return text
      const told = JSON.stringify(remark)
      if (ts.isExpressionStatement(node)) return `check(${node.expression.getText()}, ${told})`
      const [declared] = ts.isVariableStatement(node) ? node.declarationList.declarations : []
      return declared && ts.isIdentifier(declared.name)
        ? `${text}\ncheck(${declared.name.text}, ${told})`
        : text
    })
    .join('\n')
}
