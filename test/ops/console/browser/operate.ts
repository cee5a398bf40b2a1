import type { BrokenShop } from '../../../documents/broken/brokenShop.ts'
import { type Hands, see } from './hands.ts'
import type { Tab } from './tab.ts'
import type { Step } from './tasks.ts'

/** Does the steps of a task, from the page that is open. */
export async function operate(
  tab: Tab,
  hands: Hands,
  steps: readonly Step[],
  shop: Pick<BrokenShop, 'fix'>,
): Promise<void> {
  for (const step of steps) {
    if ('page' in step) await hands.choose(step.page)
    else if ('choose' in step) await hands.choose(step.choose)
    else if ('type' in step) await hands.type(...step.type)
    else if ('tick' in step) await hands.tick(step.tick)
    else if ('see' in step) await see(tab, step.see)
    else if ('fix' in step) await shop.fix(step.fix)
    else {
      await hands.type(/Search any id/, step.search)
      await tab.page.keyboard.press('Enter')
      await tab.settled()
    }
  }
}
