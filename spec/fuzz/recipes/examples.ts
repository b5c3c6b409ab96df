/**
 * Arguments from the examples in doc comments: the first call of a function in its own example. A public function whose example
 * calls it needs no recipe by hand.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as fc from 'fast-check'
import { namesIn } from '../../docs/api/example.ts'
import { entries, plain, type Recipe } from '../recipe.ts'

const src = fileURLToPath(new URL('../../../src', import.meta.url))

/** The first example in the doc comment of each exported function, by the function's name. */
function examplesIn(text: string): [name: string, example: string][] {
  const commented = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export (?:async )?(?:function\*?|const|class) (\w+)/g
  return [...text.matchAll(commented)].flatMap(([, comment, name]): [string, string][] => {
    const example = comment!.split('@example')[1]?.split(/\n\s*\* @/)[0]
    return example === undefined ? [] : [[name!, example.replaceAll(/^\s*\* ?/gm, '').trim()]]
  })
}

const examples = (): Map<string, string> =>
  new Map(
    readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => examplesIn(readFileSync(join(src, file), 'utf8'))),
  )

/** Thrown in place of the call, with its arguments. */
class Called {
  readonly args: unknown[]

  constructor(args: unknown[]) {
    this.args = args
  }
}

/** The arguments of the first call of a function in an example, made anew each time: the example runs until it calls. */
function argumentsIn(example: string, name: string): () => unknown[] {
  const scope: Record<string, unknown> = Object.assign({ fc }, ...Object.values(entries))
  scope[name] = (...args: unknown[]) => {
    throw new Called(args)
  }
  const names = [...namesIn(example)].filter((used) => used in scope)
  let run: ((...given: unknown[]) => void) | undefined
  return () => {
    try {
      run ??= new Function(...names, example) as (...given: unknown[]) => void
      run(...names.map((used) => scope[used]))
    } catch (error) {
      if (error instanceof Called) return error.args
      throw error
    }
    throw new Error(`the example of ${name} does not call it`)
  }
}

/** Recipes for the functions that `known`, names such as `core.detect`, does not have. */
export function exampleRecipes(known: ReadonlySet<string>): Recipe[] {
  const found = examples()
  return Object.entries(entries).flatMap(([entry, module]) =>
    Object.entries(module)
      .filter(([name, value]) => typeof value === 'function' && !known.has(`${entry}.${name}`))
      .filter(([name]) => found.has(name))
      .map(([name]) => plain(entry as keyof typeof entries, name, argumentsIn(found.get(name)!, name))),
  )
}
