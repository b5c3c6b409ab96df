/**
 * Prompts that ship with the package, for any model that continues English text. Their last words differ: codes are drawn from the last tokens, and
 * texts that begin with equal codes are no independent evidence.
 */
const words = (text: string): string[] => text.split(' ')
const who = words('girl boy cat dog bird fox bear duck frog mouse rabbit owl pony turtle squirrel farmer')
const name = words('Lily Tom Anna Ben Mia Sam Lucy Max Sara Tim Nora Jack Ella Leo Rose Finn')
const verb = words(
  'found saw liked made took held hid lost kept wanted painted bought sold fixed broke shared',
)
const kind = words('red blue green small big old new round soft shiny heavy funny yellow wooden tiny pretty')
const thing = words(
  'balls boxes keys maps shells stones kites books hats bells lamps coins ropes drums rings flowers',
)

/** The number of different prompts. */
export const SHIPPED_PROMPTS = 16 ** 4

/** Returns prompt i. The four last words of neighbours differ, and so do their lengths: rows of a batch need padding. */
export function shippedPrompt(i: number): string {
  const [a, b, c, d] = [0, 1, 2, 3].map((n) => Math.floor(i / 16 ** n) % 16) as [
    number,
    number,
    number,
    number,
  ]
  const object = thing[(7 * a + b + d) % 16]
  const before = ['', `This is a story about ${object}. `, `A ${who[d]} and a child met in the garden. `][
    i % 3
  ]
  return `${before}${name[a]} ${verb[(3 * a + b) % 16]} ${kind[(5 * a + c) % 16]} ${object}`
}
