import type { Arguments, TOOLS } from './tools.ts'

export interface Asked {
  readonly tool: keyof typeof TOOLS
  readonly args: Arguments
}

interface Answer {
  readonly calls: readonly Asked[]
  readonly text?: string
}

type Message = string | readonly string[]

/** A model of a framework: it asks the model, and calls the tools, in any order, until the model asks for no more. */
export async function agent(
  question: string,
  ask: (messages: readonly Message[]) => Promise<Answer>,
  use: (asked: Asked) => Promise<string>,
): Promise<string> {
  const messages: Message[] = [question]
  for (;;) {
    const { calls, text } = await ask(messages)
    if (text !== undefined) return text
    const results = new Map<Asked, string>()
    for (const asked of shuffled(calls)) {
      const result = await use(asked).catch((error: unknown) => `the tool failed: ${String(error)}`)
      results.set(asked, result)
    }
    messages.push(calls.map((asked) => results.get(asked) ?? ''))
  }
}

/** A model of a model: asked again, it asks for the same in another order. */
export async function model(messages: readonly Message[]): Promise<Answer> {
  const [question = '', results] = messages
  if (results !== undefined) return { calls: [], text: `${results.length} done` }
  const [tool = '', times = ''] = String(question).split(' ')
  const calls = Array.from({ length: Number(times) }, (_, index): Asked => {
    const number = index + 1
    return tool === 'fax'
      ? { tool, args: { page: number, to: 'the hotel' } }
      : { tool: 'book', args: { night: number, hotel: 'the hotel' } }
  })
  return { calls: shuffled(calls).map(({ tool, args }) => ({ tool, args: turned(args) })) }
}

function shuffled<Each>(list: readonly Each[]): readonly Each[] {
  const drawn = list.map((each) => ({ each, at: Math.random() }))
  return drawn.toSorted((a, b) => a.at - b.at).map(({ each }) => each)
}

function turned(args: Arguments): Arguments {
  return Object.fromEntries(shuffled(Object.entries(args)))
}
