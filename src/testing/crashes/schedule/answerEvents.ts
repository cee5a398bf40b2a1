import { bodyText } from '../../events/bodyText.ts'
import { sendFromOutside } from '../simulation/sendFromOutside.ts'
import { type ScheduleContext, queueOf } from '../simulation/scheduleContext.ts'
import type { SimulatedMessage } from '../../queues/simulatedQueue.ts'
import type { NextEvent } from '../simulation/simulation.ts'

/** The answers of an outside system to a message: payloads, by the queue that they go to. */
export type AnswersTo = (message: never) => Readonly<Record<string, unknown>>

/** An outside system answers each message once or, as a fault, twice. */
export function answerEvents(
  context: ScheduleContext,
  answers: ReadonlyMap<string, AnswersTo>,
): NextEvent[] {
  return [...answers].flatMap(([name, answersTo]) =>
    queueOf(context, name).messages.flatMap((queued) =>
      optionsOf(context, name, queued, answersTo),
    ),
  )
}

function optionsOf(
  context: ScheduleContext,
  name: string,
  queued: SimulatedMessage,
  answersTo: AnswersTo,
): NextEvent[] {
  const { faultsLeft, faults } = context.simulation
  const words = `${name} answers ${queued.id}`
  const take = (times: number) => (): void => {
    const queue = queueOf(context, name)
    queue.messages = queue.messages.filter((each) => each !== queued)
    const answers = Object.entries(answersTo(JSON.parse(queued.message.body) as never))
    for (const [to, payload] of answers)
      for (let time = 0; time < times; time++) answer(context, to, payload)
  }
  const once: NextEvent = { words, fault: undefined, take: take(1) }
  if (faultsLeft === 0 || !faults.has('answered twice')) return [once]
  return [once, { words: `${words} twice`, fault: 'answered twice', take: take(2) }]
}

function answer(context: ScheduleContext, queue: string, payload: unknown): void {
  sendFromOutside(context, queue, { body: bodyText(payload), attributes: {} })
}
