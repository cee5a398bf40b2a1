import { describe, expect, it } from 'vitest'
import { shortcutOf } from '../../../../src/tools/console/app/shell/shortcuts.ts'

const plain = { ctrlKey: false, metaKey: false, altKey: false, defaultPrevented: false }
const within = (selector: string) => ({
  matches: (all: string) => all.split(', ').includes(selector),
})

describe('a key', () => {
  it.each(['/', '?'])('%s works on every page', (key) => {
    expect(shortcutOf({ ...plain, key }, within('main'), false)).toBe(key)
    expect(shortcutOf({ ...plain, key }, null, false)).toBe(key)
  })

  it('that means nothing here is left to the browser', () => {
    expect(shortcutOf({ ...plain, key: 'a' }, null, false)).toBeUndefined()
    expect(shortcutOf({ ...plain, key: 'Escape' }, null, false)).toBeUndefined()
  })

  it.each(['input', 'textarea', 'select', '[contenteditable]'])('is a letter in %s', (field) => {
    expect(shortcutOf({ ...plain, key: '/' }, within(field), false)).toBeUndefined()
  })

  it.each(['ctrlKey', 'metaKey', 'altKey', 'defaultPrevented'])('with %s is of others', (by) => {
    expect(shortcutOf({ ...plain, key: '/', [by]: true }, null, false)).toBeUndefined()
  })

  it('does not reach behind a dialog', () => {
    expect(shortcutOf({ ...plain, key: '/' }, null, true)).toBeUndefined()
  })
})
