import { DynamoDBClient } from '@aws-sdk/client-dynamodb'

export interface ExampleToRun {
  readonly example: string
  readonly count: number
}

/** Partition keys, by example. */
export type Touched = Readonly<Record<string, readonly string[]>>

interface Runnable {
  run(count: number, say: (line: string) => void): Promise<unknown>
}

const touched = new Set<string>()

const { send } = DynamoDBClient.prototype
DynamoDBClient.prototype.send = function record(this: DynamoDBClient, ...args: readonly unknown[]) {
  for (const pk of keysIn((args[0] as { readonly input: unknown }).input)) touched.add(pk)
  return Reflect.apply(send, this, args) as never
}

const asked = JSON.parse(process.argv[2] ?? '[]') as readonly ExampleToRun[]
const keys: Record<string, readonly string[]> = {}
for (const { example, count } of asked) {
  const { run } = (await import(`../../../examples/${example}/run.ts`)) as Runnable
  await run(count, () => {})
  keys[example] = [...touched]
  touched.clear()
}
process.send?.(keys)

/** The partition keys that a request names, in a statement of PartiQL too. */
function keysIn(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return []
  const { pk, Statement, Parameters } = input as {
    readonly pk?: { readonly S?: string }
    readonly Statement?: string
    readonly Parameters?: readonly { readonly S?: string }[]
  }
  const before = /^(.*?)(?:'pk':|"pk"=)\?/s.exec(Statement ?? '')?.[1]
  const nth = before?.split('?').length ?? 0
  const named = [pk?.S, before === undefined ? undefined : Parameters?.[nth - 1]?.S]
  const inside = Object.values(input).flatMap(keysIn)
  return [...named.filter((key) => key !== undefined), ...inside]
}
