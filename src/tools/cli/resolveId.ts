import { scanForRequest, type StoredRequest, readRequest } from '../operator/explain/readRequest.ts'
import { optionWord, shellWord } from '../operator/text/commandLine.ts'
import { type Flag, flag, id, name } from '../commands/kinds.ts'
import type { Io } from './command.ts'
import { withProgress } from './terminal.ts'
import { UsageError } from './usageError.ts'
import { keyForms, MOST_PARTS, possibleKeyPks, type SentKey } from './sentKey.ts'
import type { GivenOptions, Option } from '../commands/row.ts'

export const SCAN: { readonly kind: Flag; readonly help: string; readonly page: true } = {
  kind: flag,
  help: 'read the whole table (dynamodb:Scan); the cost grows with the table',
  page: true,
}

/** What a table has of an id. */
export interface FoundItems {
  readonly found: readonly StoredRequest[]
  /** A scan was interrupted: how much of the table it has read. What the rest has is not known. */
  readonly stopped?: string
}

/** Whether the whole table is read, until the signal. */
export interface Scan {
  readonly scan: boolean
  readonly signal: AbortSignal
}

/** Finds an id by its key. A bare id can only be found by reading the whole table, whose cost grows with the table. */
export async function resolveId(id: string, { scan, signal }: Scan, io: Io): Promise<FoundItems> {
  if (!scan) {
    if (!id.includes('/')) {
      throw new UsageError(
        `ID: expected consumer/ID or flow/KEY, got ${JSON.stringify(id)}. To find a bare id, give --log FILE, or --scan, which reads the whole table`,
      )
    }
    return { found: await readRequest(io.reader(), id) }
  }
  const reader = io.reader()
  const count = await reader.count().catch(() => undefined)
  const { found, read, stopped } = await withProgress(io, 'scanned', ({ at }) =>
    scanForRequest(reader, id, (done) => at(done, count), signal),
  )
  return { found, ...(stopped && { stopped: stoppedAt(read, count) }) }
}

function stoppedAt(read: number, count: number | undefined): string {
  const of = count === undefined || count < read ? '' : ` of about ${count.toLocaleString('en')}`
  return `Stopped: ${read.toLocaleString('en')}${of} items of the table were read. What the others have is not known. To read them, type it again: it begins anew.`
}

type SearchPlace = 'by key' | 'whole table' | 'in the log'

export function notFound(id: string, sought: SearchPlace, io: Io): string {
  return `Not found: ${id} in the table ${io.table}. ${[NEXT_STEP[sought], ...elsewhere(id)].join('. ')}.`
}

/** Where an id may be that the table does not have under this name. */
function elsewhere(id: string): readonly string[] {
  const slash = id.indexOf('/')
  const rest = id.slice(slash + 1)
  if (rest === '') return []
  const key =
    slash > 0
      ? `lineclear explain ${optionWord('--name', id.slice(0, slash))} ${optionWord('--key', rest)}`
      : `lineclear explain --name NAME ${optionWord('--key', rest)}`
  return [
    `An Idempotency-Key is stored as a hash, often for each caller: ${key}, with --tenant or --scan`,
    'A message that no function has had yet is on its queue only: lineclear status names what is paused',
    `A message that was refused (rejected), or moved by SQS, is on its dead-letter queue only, under its id or with the id in its payload: lineclear dlq peek ${optionWord('--id', rest)}. To send it back: lineclear redrive ${shellWord(id)}. Part of a payload finds it, too: lineclear dlq peek ${optionWord('--match', rest)}`,
    'If no queue has it either, it has not arrived: ask its sender, and look at the filter policy of the subscription that brings it',
  ]
}

const NEXT_STEP: Readonly<Record<SearchPlace, string>> = {
  'by key': 'Ids are consumer/ID or flow/KEY, as lineclear ls shows them; --scan finds a bare id',
  'whole table':
    'The whole table was read: no item has the id, as it was typed or as a hash. It was not recorded under it, or its retention has ended',
  'in the log':
    'Only the consumers and flows that the log names with this id were looked up; --scan reads the whole table',
}

type Text = Option<string>

export const ID_OPTIONS: {
  readonly name: Text
  readonly key: Text & { readonly many: true }
  readonly tenant: Text & { readonly many: true }
} = {
  name: {
    kind: name,
    word: 'NAME',
    help: 'of a key of a function, as its caller has sent it, such as an Idempotency-Key',
    page: true,
  },
  key: { kind: id, word: 'KEY', help: 'the key; one --key for each part', many: true, page: true },
  tenant: {
    kind: name,
    word: 'TENANT',
    help: 'whose key it is, if callers have their own: as the option tenant returns it, or as the API names it (issuer and subject as two); without it, --scan finds the key of any caller',
    many: true,
    page: true,
  },
}

/** @returns the id, or the key that is asked for in its place. @throws UsageError */
export function readSentKey(
  { name: of, key, tenant }: GivenOptions<typeof ID_OPTIONS>,
  given: string | undefined,
): SentKey | string {
  if (of === undefined && key.length + tenant.length === 0) {
    if (given !== undefined) return given
    throw new UsageError('expected ID, or --name and --key, got nothing')
  }
  if (given !== undefined) throw new UsageError(`expected ID or --name and --key, got both`)
  if (of === undefined || key.length === 0) {
    throw new UsageError('--name and --key: expected both, such as --name refunds --key order-5')
  }
  if (key.length > MOST_PARTS) {
    throw new UsageError(`--key: expected one to ${MOST_PARTS} parts, got ${key.length}`)
  }
  return { name: of, parts: key, tenant: tenant.length === 0 ? undefined : tenant }
}

/**
 * Finds the items of a key by its few possible names.
 * @param scan whose key it is is not known: reads the whole table
 */
export async function resolveKey(
  sent: SentKey,
  { scan, signal }: Scan,
  io: Io,
): Promise<FoundItems> {
  const reader = io.reader()
  const byName = await Promise.all(possibleKeyPks(sent).map((pk) => readRequest(reader, pk)))
  const found = byName.flat()
  if (!scan || sent.tenant !== undefined) return { found }
  const { pks, stopped } = await scanForKey(sent, signal, io)
  const others = await Promise.all(pks.map((pk) => readRequest(reader, pk)))
  return { found: [...found, ...others.flat()], ...(stopped !== undefined && { stopped }) }
}

/** Keys of callers are stored under the name and the caller; neither has a slash. */
async function scanForKey(
  { name: of, parts }: SentKey,
  signal: AbortSignal,
  io: Io,
): Promise<{ readonly pks: readonly string[]; readonly stopped?: string }> {
  if (!of.isWellFormed()) return { pks: [] }
  const forms = new Set(keyForms(parts))
  const prefix = `key#${encodeURIComponent(of)}@`
  return withProgress(io, 'scanned', async ({ at }) => {
    const pks = new Set<string>()
    let read = 0
    const onPage = ({ looked }: { readonly looked: number }): void => at((read += looked))
    for await (const page of io.reader().scan({ prefix, onPage })) {
      for (const { pk } of page) {
        if (typeof pk === 'string' && forms.has(pk.slice(pk.indexOf('/') + 1))) pks.add(pk)
      }
      if (signal.aborted) return { pks: [...pks], stopped: stoppedAt(read, undefined) }
    }
    return { pks: [...pks] }
  })
}

export function keyNotFound({ name: of, parts, tenant }: SentKey, scan: boolean, io: Io): string {
  const whose = tenant === undefined ? '' : ` of ${JSON.stringify(tenant.join(' '))}`
  const cure =
    scan || tenant !== undefined
      ? 'It was never called with it, or its retention has ended'
      : 'If callers have their own keys, give --tenant, or --scan, which reads the whole table'
  return `Not found: the key ${JSON.stringify(parts.join(' '))}${whose} of the name ${JSON.stringify(of)} in the table ${io.table}. ${cure}.`
}
