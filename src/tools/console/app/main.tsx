import { render } from 'preact'
import { address, go } from './route.ts'
import { loadSession } from './session.ts'
import { keepFocus } from './shell/keepFocus.ts'
import { Shell } from './shell/Shell.tsx'
import { loadTheme } from './theme.ts'
import { takeToken } from './api.ts'

takeToken()
// Where the file of `--open` leads.
if (address.value.path === '/open') go('/', {}, { replace: true })
loadTheme()
keepFocus()
void loadSession()
const root = document.querySelector('#app')
if (root !== null) render(<Shell />, root)
