/** What the source says about its interfaces: members with type and comment. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../commands/program.ts'

export interface Member {
  readonly name: string
  readonly type: string
  readonly optional: boolean
  readonly comment: string
}

/** The text of a declaration's doc comment, on one line. */
const commentOf = (node: ts.Node): string =>
  ts
    .getJSDocCommentsAndTags(node)
    .filter(ts.isJSDoc)
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
    .join(' ')
    .replaceAll(/\s*\n\s*/g, ' ')

/** The members of an interface of one file. */
export function membersOf(file: string, name: string): Member[] {
  const text = readFileSync(join(root, file), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found = source.statements.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === name)
  if (found === undefined) return []
  return (found as ts.InterfaceDeclaration).members.filter(ts.isPropertySignature).map((member) => ({
    name: member.name.getText(),
    type: member.type?.getText() ?? '',
    optional: member.questionToken !== undefined,
    comment: commentOf(member),
  }))
}
