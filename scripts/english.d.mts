export interface Finding {
  readonly file: string
  readonly line: number
  readonly what: string
  readonly instead: string
}
export function findingsIn(file: string, text: string): Finding[]
