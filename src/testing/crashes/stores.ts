import { RetryableError, StoreUnavailableError } from '../../errors.ts'
import type { Store, Update, UserWrite } from '../../store/store.ts'
import { isUserWrite } from '../../store/userWrite.ts'
import { canonical } from '../../store/value.ts'
import { call } from './call.ts'
import type { Lab } from './lab.ts'
import { noteHeld } from './rows.ts'
import type { Actor, CallFault } from './world.ts'

const WRITE: readonly CallFault[] = [
  'request lost',
  'answer lost',
  'repeated',
  'throttled',
  'killed before',
  'killed on the wire',
]
const READ: readonly CallFault[] = ['request lost', 'killed before']

type Failed = { readonly kind: 'failed'; readonly error: Error }
const unanswered = (): Failed => ({ kind: 'failed', error: new StoreUnavailableError('no answer') })
const throttled = (): Failed => ({ kind: 'failed', error: new RetryableError('the item is busy') })

/** The store as one invocation sees it: each call waits for the explorer. */
export function storeOf(lab: Lab, actor: Actor): Store {
  const { world, base, rows } = lab
  const told = (answer: unknown): string =>
    answer === undefined ? '' : JSON.stringify(answer, plain)
  return {
    create: (items) =>
      call(world, actor, {
        what: `writes ${items.map(({ pk }) => pk).join(' and ')}`,
        apply: () => base.create(items),
        unanswered: () => items.map(unanswered),
        throttled: () => items.map(throttled),
        told,
        faults: WRITE,
      }),
    update: (updates) =>
      call(world, actor, {
        what: updates.map(inWords).join(' and '),
        apply: () => base.update(updates),
        unanswered: () => updates.map(unanswered),
        throttled: () => updates.map(throttled),
        told,
        faults: WRITE,
      }),
    read: (keys, options) =>
      call(world, actor, {
        what: `reads ${keys.map(({ pk }) => pk).join(' and ')}`,
        apply: () => base.read(keys, options),
        unanswered: () => keys.map(unanswered),
        told,
        faults: READ,
      }),
    transact: (claim, writes) => {
      const written = writes.filter(isUserWrite).map((write) => {
        const row = `${write.TableName} ${canonical(write.Key)}`
        return { row, write }
      })
      for (const { row, write } of written) {
        rows.set(row, write)
        for (const field of addedBy(write)) lab.sums.add(`${row} ${field}`)
      }
      return call(world, actor, {
        what: writeInWords(claim, written),
        apply: async () => {
          const outcome = await base.transact(claim, writes)
          for (const { row, write } of written) noteHeld(lab, row, write)
          return outcome
        },
        unanswered,
        throttled,
        told,
        faults: WRITE,
      })
    },
    readUser: (key) =>
      call(world, actor, {
        what: `reads ${key.TableName}`,
        apply: () => base.readUser(key),
        told,
        faults: ['killed before'],
      }),
    due: (query) => base.due(query),
  }
}

function addedBy(write: UserWrite): string[] {
  return 'add' in write && write.add !== undefined ? Object.keys(write.add) : []
}

function writeInWords({ addTo }: Update, written: readonly { write: UserWrite }[]): string {
  const tables = written.map(({ write }) => write.TableName).join(' and ')
  return `writes to ${tables}${addTo === undefined ? '' : `, marked ${addTo.member}`}`
}

/** As far as a person needs it: what is written, not why. */
function inWords({ key, set = {}, remove = [], addTo }: Update): string {
  const fields = [...Object.keys(set), ...remove.map((name) => `no ${name}`), addTo?.field]
  const named = fields.filter((name) => name !== undefined && TOLD.test(name))
  return `updates ${key.pk}${named.length === 0 ? '' : ` (${named.join(', ')})`}`
}

const TOLD =
  /^(?:no )?(?:status|attempt|ticket|confirmed|step:.*|stage:.*|applied|uniquerequestid)$/

export function plain(_name: string, value: unknown): unknown {
  if (value instanceof Set) return [...value]
  if (value instanceof Error) return value.message
  return typeof value === 'bigint' ? String(value) : value
}
