import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { run } from './runHere.ts'

it('doctor ends with 1 for what it finds, and with 2 for a template that is none', async () => {
  const place = await mkdtemp(join(tmpdir(), 'lineclear-'))
  const file = join(place, 'template.json')
  await writeFile(
    file,
    '{"Resources":{"M":{"Type":"AWS::Lambda::EventSourceMapping","Properties":{"EventSourceArn":"arn:aws:sqs:a:1:q"}}}}',
  )
  const found = await run(['doctor', '--template', file])
  await writeFile(file, 'Resource: {}')
  const wrong = await run(['doctor', '--template', file])
  await rm(place, { recursive: true })
  expect(found).toMatchObject({ code: 1, err: '' })
  expect(found.out).toContain('ReportBatchItemFailures is not set')
  expect(wrong.code).toBe(2)
})

it('doctor ends with 0 for questions and notes, and prints lines that hostile names do not forge', async () => {
  const place = await mkdtemp(join(tmpdir(), 'lineclear-'))
  const file = join(place, 'template.yaml')
  const mapping =
    'Properties: { EventSourceArn: "arn:aws:sqs:a:1:q", FunctionResponseTypes: [ReportBatchItemFailures] }'
  await writeFile(
    file,
    `Resources:\n  M: { Type: AWS::Lambda::EventSourceMapping, ${mapping} }\n  "Q\\r\\e[2Jerror": { Type: AWS::SQS::Queue, Properties: {} }\n`,
  )
  const asked = await run(['doctor', '--template', file])
  await rm(place, { recursive: true })
  expect(asked).toMatchObject({ code: 0, err: '' })
  expect(asked.out).toContain('1 found: 1 question.')
  expect(asked.out).toContain('Not checked: M: its queue arn:aws:sqs:a:1:q is not here.')
  expect(asked.out).toContain('Q <U+001B>[2Jerror: no function here consumes it')
})

it('doctor refuses a value for a parameter that no template declares, and names those that are declared', async () => {
  const place = await mkdtemp(join(tmpdir(), 'lineclear-'))
  const [one, other] = [join(place, 'one.yaml'), join(place, 'other.yaml')]
  const declaring = (name: string) => `Parameters: { ${name}: { Type: String } }\nResources: {}\n`
  await writeFile(one, declaring('Stage'))
  await writeFile(other, declaring('Seconds'))
  const both = ['doctor', '--template', one, '--template', other, '--parameter'] as const
  const wrong = await run([...both, 'Second=30'])
  const right = await run([...both, 'Seconds=30'])
  await writeFile(one, 'Resources: {}')
  const none = await run(['doctor', '--template', one, '--parameter', 'Second=30'])
  await rm(place, { recursive: true })
  expect(wrong.code).toBe(2)
  expect(wrong.err).toContain('(declared: Seconds, Stage), got Second. Nothing was checked')
  expect(right.code).toBe(0)
  expect(none.err).toContain('(none is declared), got Second')
})
