/** How one name is written in the languages of a project. */
export interface Names {
  /** `refund-requests`: of files, queues and handlers. */
  readonly kebab: string
  /** `refundRequests` */
  readonly camel: string
  /** `RefundRequests`: of resources. */
  readonly pascal: string
}

export function namesOf(kebab: string): Names {
  const camel = kebab.replaceAll(/-(.)/g, (_, first: string) => first.toUpperCase())
  return { kebab, camel, pascal: camel.charAt(0).toUpperCase() + camel.slice(1) }
}

/** @param from what the example calls it, such as `orders` */
export function renamed(text: string, { kebab, pascal }: Names, from = 'orders'): string {
  const names = new Map([
    [from, kebab],
    // In names of environment variables.
    [from.toUpperCase(), kebab.toUpperCase().replaceAll('-', '_')],
  ])
  return text.replaceAll(new RegExp(from, 'gi'), (found) => names.get(found) ?? pascal)
}

/** @throws Error when something is not there: the example has changed */
export function edited(
  text: string,
  ...edits: readonly (readonly [from: string | RegExp, to: string])[]
): string {
  return edits.reduce((before, [from, to]) => {
    const after = before.replaceAll(from, () => to)
    if (after === before) throw new Error(`the example does not have ${String(from)}`)
    return after
  }, text)
}

/** @throws Error when it is not there */
export function found(text: string, what: RegExp): string {
  const [first] = what.exec(text) ?? []
  if (first === undefined) throw new Error(`the example does not have ${String(what)}`)
  return first
}
