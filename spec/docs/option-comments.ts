/** The comments on the options of shipped methods, as an editor shows them: asked of the compiler, which follows the types. */
import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../commands/program.ts'

const file = join(root, 'src/watermarks/method-list.ts')
let checked: ts.Program | undefined

function program(): ts.Program {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  checked ??= ts.createProgram([file], ts.parseJsonConfigFileContent(config, ts.sys, root).options)
  return checked
}

/** For each option of a method the comment above its parameter, on one line. */
export function optionComments(method: string): Map<string, string> {
  const checker = program().getTypeChecker()
  const module = checker.getSymbolAtLocation(program().getSourceFile(file)!)!
  const symbol = checker.getExportsOfModule(module).find(({ name }) => name === method)!
  const type = checker.getTypeOfSymbol(symbol) as ts.TypeReference
  const [options] = checker.getTypeArguments(type)
  return new Map(
    options!
      .getProperties()
      .map((property) => [
        property.name,
        ts.displayPartsToString(property.getDocumentationComment(checker)).replaceAll(/\s*\n\s*/g, ' '),
      ]),
  )
}
