/** The content security policy of a page that stands alone. */
import { createHash } from 'node:crypto'

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Lets one style and, where given, one script of the page run; nothing else is run, loaded or sent. */
export function policyOf(style: string, script?: string): string {
  const scripts = script === undefined ? '' : ` script-src ${hash(script)};`
  return `default-src 'none';${scripts} style-src ${hash(style)}; img-src data:; base-uri 'none'; form-action 'none'`
}
