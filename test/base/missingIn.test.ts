import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { missingIn, stableId } from '../../src/library/base/ids.ts'

describe('a missing value in an id', () => {
  it.each([
    ['undefined', 'undefined'],
    ['order-undefined', 'undefined'],
    ['a8UhHM3undefinedTTvDPFR2N5NJknFZwUGZXXQQVJjL8vk', 'undefined'],
    ['order-NaN', 'NaN'],
    ['NaN', 'NaN'],
    ['12NaN', 'NaN'],
    ['customer/42/NaN/7', 'NaN'],
    ['customer:null:order:7', 'null'],
    ['Customer42NaN', 'NaN'],
    ['invoice_2024_NaN_EUR', 'NaN'],
    ['Order-12-Item-7-NaN-of-Shop-9-in-Town-3', 'NaN'],
    ['01M8D66PWKQ87E93ZYNM1XZVXV-NaN', 'NaN'],
    ['0d9ab4f1-4c63-4f0d-9a0e-7f3a1f1c2b3d_null', 'null'],
    ['[object Object]', '[object '],
    ['at Invalid Date', 'Invalid Date'],
  ])('%s', (id, word) => {
    expect(missingIn(id)).toBe(word)
  })

  it('is not what a name happens to spell', () => {
    for (const id of ['Nancy', 'annulled', 'nullity-7', 'order-7']) {
      expect(missingIn(id)).toBeUndefined()
    }
  })

  it.each([
    ['null@example.com', { k: 'null@example.com' }],
    ['user/null/1', { path: '/null/', id: 'user/null/1' }],
    ['null', { k: 'null' }],
    ['is-null', { dependencies: { 'is-null': '1.0.0' } }],
    ['exports/undefined/x.jpg', ['exports/undefined/x.jpg']],
    ['x[object y', { body: JSON.stringify({ deep: [{ k: 'x[object y' }] }) }],
  ])('is not what a text of its source brings: %s', (id, source) => {
    expect(missingIn(id, source)).toBeUndefined()
  })

  it.each([
    ['order-undefined', { note: 'undefined behaviour' }],
    ['order-undefined', { added: 'undefined' }],
    ['order-null', { k: null, note: 'is null' }],
    ['order-NaN', { k: Number.NaN }],
    ['order-[object Object]', { k: {} }],
    ['order-undefined', { body: '{"note":"undefi' }],
    ['order-undefined', ['undefined', ...Array.from({ length: 20_000 }, () => 'x')]],
  ])('is what no text of its source explains: %s', (id, source) => {
    expect(missingIn(id, source)).toBe(/undefined|null|NaN|\[object /.exec(id)?.[0])
  })

  it('is not what stands between digits of a hash', () => {
    expect(missingIn('a8UhHM3NaN6wTTvDPFR2N5NJknFZwUGZXXQQVJjL8vk')).toBeUndefined()
  })

  it('is not what a hash happens to spell', () => {
    const wrong: string[] = []
    for (let nth = 0; nth < 20_000; nth++) {
      const made = [
        stableId(String(nth)),
        ...['sha1', 'md5'].map((how) => createHash(how).update(String(nth)).digest('base64url')),
      ]
      for (const id of made) {
        const at = nth % id.length
        const spelt = ['3NaN_', '-NaN_', '7null-', '_null-'][nth % 4] ?? ''
        const planted = `${id.slice(0, at)}${spelt}${id.slice(at + spelt.length)}`
        if (missingIn(planted) !== undefined) wrong.push(planted)
      }
    }
    // Of hashes that spell it, which one of two million does.
    expect(wrong.length / 60_000).toBeLessThan(0.12)
  })
})
