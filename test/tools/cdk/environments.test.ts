import { LineclearCall, LineclearConsumer, LineclearSweeper, LineclearTable } from 'lineclear/cdk'
import { expect, it } from 'vitest'
import { collisionsOf } from '../../../src/tools/doctor/rules/environments.ts'
import { fromTemplate } from '../doctor/from.ts'
import { ENTRY, newStack, templateOf } from './stacks.ts'

/** One application, with the defaults of its constructs. */
function shop(stage: string, tableName?: string) {
  const stack = newStack(`Shop-${stage}`)
  const alarmEmail = 'oncall@example.com'
  const table = new LineclearTable(stack, 'Table', { alarmEmail, ...(tableName && { tableName }) })
  new LineclearSweeper(stack, 'Sweeper', { table })
  new LineclearConsumer(stack, 'orders', { table, entry: ENTRY })
  new LineclearCall(stack, 'refunds', { table, entry: ENTRY })
  return fromTemplate(templateOf(stack))
}

it('two stacks in one account share no name and no alarm', () => {
  const [dev, prod] = [shop('dev'), shop('prod')]
  expect(prod.names.map(({ name }) => name)).toContain('Shop-prod-lineclear')
  expect(collisionsOf(prod, dev)).toEqual([])
})

it('with one name for both tables the doctor says so', () => {
  const found = collisionsOf(shop('prod', 'lineclear'), shop('dev', 'lineclear'))
  expect(found.map(({ rule, severity }) => [rule, severity])).toEqual([['same-name', 'error']])
  expect(found[0]?.problem).toMatch(/^Its name lineclear is also that of Table/)
})
