/** Finds and makes elements. */

export function byId<T extends Element = HTMLElement>(id: string): T {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no #${id}`)
  return found as unknown as T
}

type Attributes = Readonly<Record<string, string>>
type Children = readonly (Node | string)[]

function filled<T extends Element>(made: T, attributes: Attributes, children: Children): T {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

export const element = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Children
): HTMLElementTagNameMap[K] => filled(document.createElement(tag), attributes, children)

export const drawn = <K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Children
): SVGElementTagNameMap[K] =>
  filled(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children)
