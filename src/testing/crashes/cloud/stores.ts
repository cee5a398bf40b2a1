import { StoreUnavailableError, type Unavailable } from '../../../library/base/errors.ts'
import type {
  Creation,
  StoreKey,
  Store,
  Update,
  UserItem,
  UserWrite,
} from '../../../library/protocol/store/store.ts'
import { isUserWrite } from '../../../library/protocol/store/wire/transactItem.ts'
import { claimedKey } from '../../../library/protocol/store/wire/attributes.ts'
import { call } from '../simulation/call.ts'
import { type ScheduleContext, noteHeld, rowName, rowOf } from '../simulation/scheduleContext.ts'
import { plain } from '../simulation/sentEffects.ts'
import type { Actor } from '../simulation/simulation.ts'
import { type CrashCallFault, KILLED, LOST, READ } from '../simulation/crashFaults.ts'

const WRITE: readonly CrashCallFault[] = [...LOST, 'repeated', 'throttled', 'conflict', ...KILLED]
const TRANSACT: readonly CrashCallFault[] = [...WRITE, 'table throttled', 'killed each time']
const STALE_READ: readonly CrashCallFault[] = [...READ, 'stale', 'a second behind']
const READ_USER: readonly CrashCallFault[] = ['table throttled', 'killed before']

type Failed = { readonly kind: 'failed'; readonly error: Error }
const unanswered = (): Failed => ({ kind: 'failed', error: new StoreUnavailableError('no answer') })
/** The same errors as the real stores give. */
const refusedFor = (reason: Unavailable, userTable?: string): Failed => ({
  kind: 'failed',
  error: new StoreUnavailableError(`a table is ${reason}`, { reason, userTable }),
})
const throttled = (): Failed => refusedFor('throttled')
const conflicted = (): Failed => refusedFor('busy')
const SECOND_MS = 1_000

/** The store as one invocation sees it: each call waits until the explorer chooses what happens. */
export function storeOf(context: ScheduleContext, actor: Actor): Store {
  const { simulation, base, history, rows } = context
  const noted = async <O>(write: Promise<O>, keys: readonly StoreKey[]): Promise<O> => {
    const outcome = await write
    await history.note(keys, simulation.now)
    return outcome
  }
  const seen = (answer: unknown): string =>
    answer === undefined ? '' : JSON.stringify(answer, plain)
  const write = <O>(what: string, keys: readonly StoreKey[], apply: () => Promise<readonly O[]>) =>
    call<readonly (O | Failed)[]>(simulation, actor, {
      what,
      apply: () => noted(apply(), keys),
      unanswered: () => keys.map(unanswered),
      throttled: () => keys.map(throttled),
      conflicted: () => keys.map(conflicted),
      seen,
      faults: WRITE,
    })
  return {
    create: (items) =>
      write(`writes ${items.map(({ pk }) => pk).join(' and ')}`, items, () => base.create(items)),
    update: (updates) => {
      const keys = updates.map(({ key }) => key)
      return write(updates.map(inWords).join(' and '), keys, () => base.update(updates))
    },
    read: (keys, options) =>
      call(simulation, actor, {
        what: `reads ${keys.map(({ pk }) => pk).join(' and ')}`,
        apply: () => base.read(keys, options),
        unanswered: () => keys.map(unanswered),
        stale: () => keys.map((key) => ({ kind: 'found', item: history.before(key) })),
        behind: () =>
          keys.map((key) => ({ kind: 'found', item: history.at(key, simulation.now - SECOND_MS) })),
        seen,
        faults: options?.consistent === true ? READ : STALE_READ,
      }),
    transact: (claim, writes) => {
      const written = writes.filter(isUserWrite).map((write) => {
        const row = rowName(write)
        return { row, write }
      })
      for (const { row, write } of written) {
        const before = rows.has(row) ? undefined : rowOf(context, write)
        if (before !== undefined) context.seeded.set(row, before)
        rows.set(row, write)
        for (const field of addedBy(write)) context.sums.add(`${row} ${field}`)
      }
      return call(simulation, actor, {
        what: writeInWords(claim, written),
        apply: async () => {
          const outcome = await noted(base.transact(claim, writes), [claimedKey(claim)])
          for (const { row, write } of written) noteHeld(context, row, write)
          return outcome
        },
        unanswered,
        throttled: () => refusedFor('throttled', written[0]?.write.TableName),
        conflicted,
        seen,
        tables: written.map(({ write }) => write.TableName),
        id: `${claimedKey(claim).pk} ${markOf(claim) ?? written.map(({ row }) => row).join()}`,
        faults: TRANSACT,
      })
    },
    readUser: async (key) => {
      const read = await call<UserItem | undefined | Error>(simulation, actor, {
        what: `reads ${key.TableName}`,
        apply: () => base.readUser(key),
        throttled: () => refusedFor('throttled', key.TableName).error,
        seen,
        tables: [key.TableName],
        faults: READ_USER,
      })
      if (read instanceof Error) throw read
      return read
    },
    due: (query) => base.due(query),
  }
}

function addedBy(write: UserWrite): string[] {
  return 'add' in write && write.add !== undefined ? Object.keys(write.add) : []
}

function markOf(claim: Update | Creation): string | undefined {
  return 'create' in claim ? undefined : claim.addTo?.member
}

function writeInWords(claim: Update | Creation, written: readonly { write: UserWrite }[]): string {
  const tables = written.map(({ write }) => write.TableName).join(' and ')
  if ('create' in claim) return `writes to ${tables}, with ${claim.create.pk}`
  const mark = markOf(claim)
  return `writes to ${tables}${mark === undefined ? '' : `, marked ${mark}`}`
}

/** For the trace: only the fields that explain what the update does. */
function inWords({ key, set = {}, remove = [], addTo }: Update): string {
  const fields = [...Object.keys(set), ...remove.map((name) => `no ${name}`), addTo?.field]
  const named = fields.filter((name) => name !== undefined && SHOWN_FIELDS.test(name))
  return `updates ${key.pk}${named.length === 0 ? '' : ` (${named.join(', ')})`}`
}

const SHOWN_FIELDS =
  /^(?:no )?(?:status|attempt|resendNumber|confirmed|step:.*|stage:.*|applied|uniquerequestid)$/
