/** Examples in doc comments of what the package does not export: they must run as well. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../../commands/program.ts'

export interface InternalExample {
  /** The module that exports the function, below the root. */
  readonly file: string
  readonly name: string
  readonly text: string
}

const nameOf = (node: ts.Statement): string =>
  ts.isVariableStatement(node)
    ? node.declarationList.declarations[0]!.name.getText()
    : ((node as ts.FunctionDeclaration).name?.text ?? '')

/** Where the surface says that a declaration is. */
const placeOf = (file: string, node: ts.Statement): string =>
  `${file}:${(ts.isVariableStatement(node) ? node.declarationList.declarations[0]! : node).pos}`

function examplesIn(file: string, isPublic: ReadonlySet<string>): InternalExample[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  )
  return source.statements
    .filter((node) => !isPublic.has(placeOf(file, node)))
    .flatMap((node) =>
      ts
        .getJSDocCommentsAndTags(node)
        .filter(ts.isJSDoc)
        .flatMap(({ tags = [] }) => [...tags])
        .filter(({ tagName }) => tagName.text === 'example')
        .map((tag) => ({
          file,
          name: nameOf(node),
          text: (ts.getTextOfJSDocComment(tag.comment) ?? '').trim(),
        })),
    )
}

/** All of them. `isPublic` holds the places of public declarations. */
export const internalExamples = (isPublic: ReadonlySet<string>): InternalExample[] =>
  (readdirSync(join(root, 'src'), { recursive: true }) as string[])
    .map((name) => join('src', name).replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.startsWith('src/core/kernels/assembly/'))
    .sort()
    .flatMap((file) => examplesIn(file, isPublic))
