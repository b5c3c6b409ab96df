/** The factories of the shipped methods, with every option that their parameters declare: a new method needs no line here. */
import type { AnyMethod } from '../../../src/core/method/define-method.ts'
import { shippedMethods } from '../../../src/watermarks/entry.ts'
import { plain, type Recipe } from '../recipe.ts'

/** Every option: at its cheap value, else at its example. The others, undefined, have their default and are there to be replaced. */
const optionsOf = ({ parameters, small }: AnyMethod): Record<string, unknown> =>
  Object.fromEntries(Object.entries(parameters).map(([name, { example }]) => [name, small[name] ?? example]))

export const methodRecipes: readonly Recipe[] = shippedMethods().map((method) =>
  plain('core', method.name, () => [optionsOf(method)]),
)
