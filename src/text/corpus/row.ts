/** A record of a file: column to value, as the format gives it. */
export type Row = Readonly<Record<string, unknown>>

/** Returns the value of a column; a dot reaches into a struct, as in `translation.ro`. Throws with the columns found if it is missing. */
export function column(row: Row, path: string, where: string): unknown {
  let value: unknown = row
  let reached = ''
  for (const name of path.split('.')) {
    const isList = Array.isArray(value) || ArrayBuffer.isView(value)
    const isRecord = value !== null && typeof value === 'object' && !isList
    if (!isRecord || !Object.hasOwn(value as Row, name)) {
      const inside = reached ? ` in '${reached}'` : ''
      const found = isRecord
        ? `the columns ${Object.keys(value as Row).join(', ') || '(none)'}`
        : `${typeof value}`
      throw new TypeError(`${where}: expected a column '${name}'${inside}, found ${found}`)
    }
    value = (value as Row)[name]
    reached = reached ? `${reached}.${name}` : name
  }
  return value
}

/** Returns a column that must hold text. */
export function textColumn(row: Row, path: string, where: string): string {
  const value = column(row, path, where)
  if (typeof value !== 'string')
    throw new TypeError(
      `${where}: expected text in column '${path}', found ${value === null ? 'null' : typeof value}`,
    )
  return value
}
