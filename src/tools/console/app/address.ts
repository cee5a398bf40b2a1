export interface Address {
  /** @example '/tasks' */
  readonly path: string
  /** By name; a name that is given more than once is a list. */
  readonly query: Query
}

export type Query = Readonly<Record<string, string | readonly string[] | undefined>>

/** @param search with or without its question mark */
export function readAddress(path: string, search: string): Address {
  const parameters = new URLSearchParams(search)
  const query: Record<string, string | readonly string[]> = {}
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name)
    query[name] = values.length === 1 ? (values[0] ?? '') : values
  }
  return { path: path.replace(/\/+$/, '') || '/', query }
}

/** Names without a value are left out, and the order is that of the names: two equal states have one URL. */
export function writeAddress({ path, query }: Address): string {
  const search = searchOf(query)
  return search === '' ? path : `${path}?${search}`
}

export function searchOf(query: Query): string {
  const parameters = new URLSearchParams()
  for (const name of Object.keys(query).toSorted()) {
    for (const value of valuesOf(query[name])) parameters.append(name, value)
  }
  return parameters.toString()
}

/** An empty text is no value: a field that was emptied sets no filter. */
export function valuesOf(value: Query[string]): readonly string[] {
  const values = typeof value === 'string' ? [value] : (value ?? [])
  return values.filter((each) => each !== '')
}

/** @returns the first value; '' without one */
export function valueOf(value: Query[string]): string {
  return valuesOf(value)[0] ?? ''
}
