import { rowsOf } from './effects.ts'
import type { Lab } from './scheduleContext.ts'
import { plain, rowText } from './plain.ts'
import { numberOf } from './simulation.ts'

/** All that can make a difference to what follows. Two schedules that meet here go on alike. */
export function stateOf(lab: Lab): string {
  const { world, base, queues, calls } = lab
  return [
    world.now,
    world.faultsLeft,
    [...world.deadly].join(),
    [...world.throttled].join(),
    lab.redriven,
    JSON.stringify(base.items(), plain),
    [...rowsOf(lab)].map(([name, item]) => name + rowText(item)).join(),
    [...queues].map(
      ([name, { letters, all, delivered }]) =>
        `${name}${letters.map(({ id, visibleAt, receives }) => `${id},${visibleAt},${receives}`).join(';')}/${all.map(({ message }) => numberOf(world.memory, JSON.stringify(message))).join()}/${delivered.length}`,
    ),
    lab.sendings.map(({ place, identity, content }) => `${place}${identity}${content}`).join(),
    calls.map(({ name, key }) => name + key).join(),
    lab.told,
    lab.clashes.length,
    world.pending
      .map(({ actor, what, knew }) => `${actor.name}${actor.state}${what}${knew}`)
      .join(),
    world.timers.map(({ actor, timer }) => `${actor.name}${timer.milliseconds}`).join(),
    world.actors.map(({ state, knows }) => (state === 'running' ? knows : state[0])).join(),
  ].join('|')
}
