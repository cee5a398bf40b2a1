import { expect, it } from 'vitest'
import { nodeWidth } from '../../../../../src/tools/console/app/map/nodeWidth.ts'

const queue = (name: string) => ({ id: name, kind: 'queue', name }) as const

it('boxes are as wide as the longest name needs, within limits', () => {
  expect(nodeWidth([])).toBe(160)
  expect(nodeWidth([queue('orders')])).toBe(160)
  const wide = nodeWidth([queue('orders'), queue('lineclear-receipts')])
  expect(wide).toBeGreaterThan(160)
  expect(wide).toBeLessThan(240)
  expect(nodeWidth([queue('a'.repeat(80))])).toBe(240)
})
