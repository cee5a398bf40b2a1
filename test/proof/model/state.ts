import { daysInText } from './days.ts'
import type { Model } from './model.ts'
import { pastOf } from './modelStore.ts'
import { textOf } from './texts.ts'

/** All that can make a difference to what follows. Two schedules that meet here continue alike. */
export function stateOf(model: Model): string {
  const { simulation, table, queue, deadLetters, next, calls, watch } = model
  return [
    simulation.now,
    simulation.faultsLeft,
    join(table.tokens.values(), (token) => textOf(token, table)),
    join(table.before.keys(), (pk) =>
      join(
        pastOf(table, pk, simulation.now),
        ({ item, until }) => `${until} ${textOf(item, table)}`,
      ),
    ),
    table.users,
    join(queue.messages, ({ id, visibleAt, receives }) => `${id},${visibleAt},${receives}`),
    join(queue.delivered, ({ id }) => id),
    join(deadLetters.messages, ({ death }) => String(death)),
    next.messages.length,
    calls.join(),
    model.redrivesLeft,
    model.drops,
    model.days && daysInText(model.days, table),
    watch.digest(),
    join(
      simulation.pending,
      ({ actor, what, knew }) => `${actor.name} ${actor.state} ${what} ${knew}`,
    ),
    join(simulation.timers, ({ actor, timer }) => `${actor.name} ${timer.milliseconds}`),
    join(simulation.actors, ({ state, knowledge }) =>
      state === 'running' ? String(knowledge) : '',
    ),
  ].join('|')
}

function join<T>(parts: Iterable<T>, text: (part: T) => string): string {
  let joined = ''
  for (const part of parts) joined += `${text(part)};`
  return joined
}
