import type { Lab } from './lab.ts'
import { pastOf } from './modelStore.ts'
import { textOf } from './texts.ts'

/** All that can make a difference to what follows. Two schedules that meet here go on alike. */
export function stateOf(lab: Lab): string {
  const { world, table, queue, deadLetters, next, calls, watch } = lab
  return [
    world.now,
    world.faultsLeft,
    join(table.tokens.values(), (token) => textOf(token, table)),
    join(table.before.keys(), (pk) =>
      join(pastOf(table, pk, world.now), ({ item, until }) => `${until} ${textOf(item, table)}`),
    ),
    table.users,
    join(queue.messages, ({ id, visibleAt, receives }) => `${id},${visibleAt},${receives}`),
    join(queue.delivered, ({ id }) => id),
    join(deadLetters.messages, ({ death }) => String(death)),
    next.messages.length,
    calls.join(),
    lab.redrivesLeft,
    watch.digest(),
    join(world.pending, ({ actor, what, knew }) => `${actor.name} ${actor.state} ${what} ${knew}`),
    join(world.timers, ({ actor, timer }) => `${actor.name} ${timer.milliseconds}`),
    join(world.actors, ({ state, knowledge }) => (state === 'running' ? String(knowledge) : '')),
  ].join('|')
}

function join<T>(parts: Iterable<T>, text: (part: T) => string): string {
  let joined = ''
  for (const part of parts) joined += `${text(part)};`
  return joined
}
