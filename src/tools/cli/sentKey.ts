import { eventPk, readKey, tokenPk } from '../../library/entries/call/readKey.ts'
import { CALLER_KINDS, callerText } from '../../library/entries/call/http/caller.ts'
import { unquoted } from '../../library/entries/call/http/httpEvent.ts'

/** A key as the caller has sent it, and as an operator types it. */
export interface SentKey {
  readonly name: string
  /** Several, if the option `key` returns several. */
  readonly parts: readonly string[]
  /** Who the caller was, if keys of the name belong to callers; several parts as an authorizer has them. */
  readonly tenant?: readonly string[] | undefined
}

/** The most parts of which each form is tried: the number of forms doubles with each. */
export const MOST_PARTS = 4

/**
 * The partition keys under which it may be stored: hashed or plain, and typed text may have been a number or a structured header.
 * @returns empty: no item can have it
 */
export function possibleKeyPks({ name, parts, tenant }: SentKey): readonly string[] {
  const forms = keyForms(parts)
  const tenants = tenant === undefined ? [undefined] : tenantForms(tenant)
  const tokens = tenants.flatMap((owner) => forms.map((form) => tokenPk(name, owner, form)))
  const events = tenant === undefined ? forms.map((form) => eventPk(name, form)) : []
  return [...new Set([...tokens, ...events])].filter((pk) => pk !== undefined)
}

/** What comes after the name and the tenant. */
export function keyForms(parts: readonly string[]): readonly string[] {
  const readings = parts
    .map(readingsOf)
    .reduce<readonly (readonly unknown[])[]>(
      (lists, each) => lists.flatMap((list) => each.map((reading) => [...list, reading])),
      [[]],
    )
  const keys = readings.flatMap((values) =>
    (['sha256', 'plain'] as const).map((form) => readKey(() => values, form, values)),
  )
  return [...new Set(keys.flatMap((key) => (key.kind === 'key' ? [key.key] : [])))]
}

const SIMPLE = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false)$/

function readingsOf(text: string): readonly unknown[] {
  const bare = unquoted(text)
  return [
    ...(bare === undefined ? [] : [bare]),
    ...(bare === text ? [] : [text]),
    ...(SIMPLE.test(text) ? [JSON.parse(text) as unknown] : []),
  ]
}

/** All forms under which this tenant may be stored: named by the option `tenant`, or by any front end of an API (`callerOf`). */
function tenantForms(parts: readonly string[]): readonly string[] {
  const [only = ''] = parts.length === 1 ? parts : []
  const plain = readingsOf(only).map((reading) => readKey(() => reading, 'plain', reading))
  const texts = plain.flatMap((key) => (key.kind === 'key' ? [key.key] : []))
  const callers = CALLER_KINDS.map((kind) => callerText(kind, parts))
  return [...new Set([parts.join('\n'), ...texts, ...callers])]
}
