import { payloadText } from '../events/payloadText.ts'
import type { Option } from './call.ts'
import { give } from './giveResult.ts'
import { type Lab, queueOf } from './scheduleContext.ts'
import type { Letter } from '../queues/sqs.ts'

/** What a system outside sends for a message: payloads, by the queue that they come to. */
export type AnswersTo = (message: never) => Readonly<Record<string, unknown>>

/** Each message to a system outside is answered once, or, as a fault, twice. */
export function answering(lab: Lab, answers: ReadonlyMap<string, AnswersTo>): Option[] {
  return [...answers].flatMap(([name, answersTo]) =>
    queueOf(lab, name).letters.flatMap((letter) => optionsOf(lab, name, letter, answersTo)),
  )
}

function optionsOf(lab: Lab, name: string, letter: Letter, answersTo: AnswersTo): Option[] {
  const { faultsLeft, faults } = lab.world
  const words = `${name} answers ${letter.id}`
  const take = (times: number) => (): void => {
    const queue = queueOf(lab, name)
    queue.letters = queue.letters.filter((each) => each !== letter)
    const answers = Object.entries(answersTo(JSON.parse(letter.message.body) as never))
    for (const [to, payload] of answers)
      for (let time = 0; time < times; time++) answer(lab, to, payload)
  }
  const once: Option = { words, fault: undefined, take: take(1) }
  if (faultsLeft === 0 || !faults.has('answered twice')) return [once]
  return [once, { words: `${words} twice`, fault: 'answered twice', take: take(2) }]
}

function answer(lab: Lab, queue: string, payload: unknown): void {
  give(lab, queue, { body: payloadText(payload), attributes: {} })
}
