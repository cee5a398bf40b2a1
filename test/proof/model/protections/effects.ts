import { changing, guarding, pretending, those } from '../removals.ts'
import type { UserCondition } from '../../../../src/library/protocol/store/store.ts'
import { NEXT_URL } from '../places.ts'
import type { Protection } from './protection.ts'

export const effects: readonly Protection[] = [
  {
    name: 'effect and mark in one transaction',
    removal: { store: changing(those('marks reserve'), ({ key, where }) => ({ key, where })) },
    scenarios: ['write'],
  },
  {
    name: 'the mark is looked for (lacks)',
    removal: {
      store: changing(those('marks reserve'), (update) => ({
        ...update,
        where: update.where.filter((condition) => !('lacks' in condition)),
      })),
    },
    scenarios: ['write'],
  },
  {
    name: 'START before the call',
    removal: { store: pretending(those('stores START')) },
    scenarios: ['stop', 'verify'],
  },
  {
    name: 'the result is stored',
    removal: { store: pretending(those('stores the answer')) },
    scenarios: ['stop', 'repeat', 'verify'],
    survives:
      'START and the key protect the call; without its answer it is made again by key, verified, or parked',
  },
  {
    name: 'one key for all attempts',
    removal: {
      handle: (real) => (payload, ctx) =>
        real(payload, {
          ...ctx,
          call: (name, make, options) =>
            ctx.call(
              name,
              ({ idempotencyKey }) => make({ idempotencyKey: `${idempotencyKey}${ctx.attempt}` }),
              options,
            ),
        }),
    },
    scenarios: ['repeat'],
  },
  {
    name: 'one id for what is sent on',
    removal: {
      messenger: (real, { next }) => ({
        ...real,
        send: (url, messages) => {
          if (url !== NEXT_URL) return real.send(url, messages)
          const attribute = { DataType: 'String', StringValue: `random-${next.sent}` }
          return real.send(
            url,
            messages.map((message) => ({
              ...message,
              attributes: { ...message.attributes, uniquerequestid: attribute },
            })),
          )
        },
      }),
    },
    scenarios: ['write'],
  },
  { name: 'newerThan', removal: { store: guarding(() => undefined) }, scenarios: ['newest'] },
  {
    name: 'newerThan: the id decides within a millisecond',
    removal: { store: guarding((where) => tie(where, [])) },
    scenarios: ['sameTime'],
  },
  {
    name: 'newerThan: only the greater id, within a millisecond',
    removal: { store: guarding((where) => tie(where, [{ exists: 'updatedAt' }])) },
    scenarios: ['sameTime'],
  },
]

/** With another rule for two requests of the same time. */
function tie(where: UserCondition, rule: readonly UserCondition[]): UserCondition {
  if (!('any' in where)) return where
  return { any: [...where.any.filter((each) => !('all' in each)), ...rule] }
}
