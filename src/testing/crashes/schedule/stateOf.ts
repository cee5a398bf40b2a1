import { rowsOf } from '../effects/effects.ts'
import type { ScheduleContext } from '../simulation/scheduleContext.ts'
import { plain, rowText } from '../simulation/plain.ts'
import { internedNumber } from '../simulation/simulation.ts'
import { sqlStateText } from '../simulation/sqlState.ts'

/** Everything that can affect what follows, as text: two schedules with the same state have the same continuations. */
export function stateOf(context: ScheduleContext): string {
  const { simulation, base, queues, calls } = context
  return [
    simulation.now,
    simulation.faultsLeft,
    [...simulation.deadly].join(),
    [...simulation.throttled].join(),
    context.redriven,
    JSON.stringify(base.items(), plain),
    [...rowsOf(context)].map(([name, item]) => name + rowText(item)).join(),
    [...queues].map(
      ([name, { messages, all, delivered }]) =>
        `${name}${messages.map(({ id, visibleAt, receives }) => `${id},${visibleAt},${receives}`).join(';')}/${all.map(({ message }) => internedNumber(simulation.memory, JSON.stringify(message))).join()}/${delivered.length}`,
    ),
    context.sendings
      .map(({ target, identity, content }) => `${target}${identity}${content}`)
      .join(),
    calls.map(({ name, key }) => name + key).join(),
    sqlStateText(context.sql),
    context.reportedFailures,
    context.clashes.length,
    simulation.pending
      .map(({ actor, what, knew }) => `${actor.name}${actor.state}${what}${knew}`)
      .join(),
    simulation.timers.map(({ actor, timer }) => `${actor.name}${timer.milliseconds}`).join(),
    simulation.actors
      .map(({ state, knowledge }) => (state === 'running' ? knowledge : state[0]))
      .join(),
  ].join('|')
}
