import { itemKey } from '../../../library/entries/sweeper/address.ts'
import { bodyOf, carriedHash } from '../../../library/protocol/record/message/message.ts'
import type { Item, StoreKey } from '../../../library/protocol/store/store.ts'
import type { BoundEnd } from '../dlq/bound.ts'
import { readRequest, type StoredRequest } from '../explain/readRequest.ts'
import { displayId } from '../text/itemId.ts'
import { planName } from '../text/planName.ts'
import { findRows, type Table } from './findRows.ts'
import type { Erasure, Judged } from './judged.ts'
import { judgePartition } from './judgeRow.ts'
import { isToken, resultObjectOf } from './judgeToken.ts'
import {
  type ObjectPlace,
  payloadPlaceIn,
  placeText,
  resultPlace,
  type StoredObjects,
} from './objects.ts'
import type { ToForget } from './subject.ts'

/** The bucket, and where in it the option `offload` keeps its objects. */
export interface GivenObjects {
  readonly client: StoredObjects
  readonly place: ObjectPlace
}

export interface ForgetOptions extends Table {
  readonly subject: ToForget
  readonly objects: GivenObjects | undefined
  readonly signal: AbortSignal
}

/** As a plan names what it takes: a row with what it showed, or an object. No plan holds what is erased. */
export type Taken =
  | { readonly pk: string; readonly sk: string; readonly plan: string }
  | { readonly object: string; readonly bucket: string }

export interface NotErased {
  readonly what: string
  readonly because: string
}

export interface ForgetReport {
  readonly mode: 'plan' | 'apply'
  /** What is taken out, or was. */
  readonly erased: readonly string[]
  readonly notErased: readonly NotErased[]
  readonly ended: BoundEnd
}

interface Found {
  readonly judged: readonly Judged[]
  readonly objects: readonly ObjectPlace[]
  readonly notErased: readonly NotErased[]
}

/** What is stored of it. @throws StoreUnavailableError: nothing is said of what could not be read */
export async function planForgetting(
  options: ForgetOptions,
  onTaken: (taken: Taken) => void,
): Promise<ForgetReport> {
  const { judged, objects, notErased } = await findAll(options)
  const erasures = judged.filter((each) => each.kind === 'erase')
  for (const erasure of erasures) onTaken(asTaken(erasure))
  for (const { bucket, name } of objects) onTaken({ object: name, bucket })
  const erased = [...erasures.map(describe), ...objects.map(placeText)]
  return { mode: 'plan', erased, notErased, ended: 'complete' }
}

export function asTaken({ key, what, seen }: Erasure): Extract<Taken, { readonly pk: string }> {
  return { ...key, plan: planName([key, what, seen]) }
}

export function describe({ key, what }: Erasure): string {
  return `${displayKey(key)}: ${what.join(', ')}`
}

function displayKey({ pk, sk }: StoreKey): string {
  return `${displayId(pk)} ${sk}`
}

export async function findAll(options: ForgetOptions): Promise<Found> {
  const { subject, objects, reader, now } = options
  const own = await readRequest(reader, subject.id)
  const beside = await findRows(subject, options)
  const hasObjects = objects !== undefined
  const judged = [
    ...own.flatMap(({ items }) => judgePartition(items, { now, hasObjects })),
    ...beside.judged,
  ]
  const kept = judged.flatMap((each) =>
    each.kind === 'left' ? [{ what: displayKey(each.key), because: each.because }] : [],
  )
  const hashes = beside.letters.flatMap(({ envelope }) => envelope.carried.payload?.sha256 ?? [])
  const looked = await findObjects(own, judged, hashes, objects)
  return { judged, objects: looked.there, notErased: [...kept, ...looked.notErased] }
}

/** Results and payloads that the option `offload` has put into its bucket, as far as the table says so. */
async function findObjects(
  own: readonly StoredRequest[],
  judged: readonly Judged[],
  hashes: readonly string[],
  given: GivenObjects | undefined,
): Promise<{ readonly there: readonly ObjectPlace[]; readonly notErased: readonly NotErased[] }> {
  const left = new Set(judged.flatMap((each) => (each.kind === 'left' ? each.key.pk : [])))
  const tokens = own.flatMap(({ pk, items }) =>
    left.has(pk) ? [] : items.filter((item) => isToken(itemKey(item))),
  )
  const payloads = [...new Set([...tokens.flatMap(payloadIn), ...hashes])]
  if (given === undefined) {
    const because =
      'it was kept in the bucket of the option offload: give --objects s3://BUCKET/PREFIX, or wait for its lifecycle rule'
    return { there: [], notErased: payloads.map((hash) => ({ what: `payload ${hash}`, because })) }
  }
  const { client, place } = given
  const results = tokens.flatMap((item) => resultObjectOf(item) ?? [])
  const places = [
    ...results.map((key) => resultPlace(place, key)),
    ...payloads.map((hash) => payloadPlaceIn(place, hash)),
  ]
  const there: ObjectPlace[] = []
  const notErased: NotErased[] = []
  for (const each of places) {
    const looked = await client.look(each)
    if (looked.kind === 'there') there.push(each)
    if (looked.kind === 'not known') notErased.push({ what: placeText(each), because: looked.why })
  }
  return { there, notErased }
}

/** The hash of a payload that was kept elsewhere and was read there, hexadecimal. */
function payloadIn({ payloadHash }: Item): readonly string[] {
  if (typeof payloadHash !== 'string') return []
  const body = bodyOf(payloadHash)
  const hash = Buffer.from(body, 'base64url').toString('hex')
  return payloadHash.includes(carriedHash(hash, true)) ? [hash] : []
}
