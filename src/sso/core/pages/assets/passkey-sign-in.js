// The browser proposes its passkeys in the field of the name, and the button asks for one. Both need a script.
const form = document.querySelector('form[data-passkey-sign-in]')
const fault = form?.querySelector('[data-passkey-fault]')
// A challenge is good for five minutes.
const FRESH_MS = 240_000
let options = JSON.parse(form?.dataset.passkeySignIn ?? 'null')
let made = Date.now()
let pending
let isPressed = false
let proposes = false

async function freshOptions() {
  if (Date.now() - made > FRESH_MS) {
    const reply = await fetch('/sign-in/passkey/options')
    if (!reply.ok) throw new Error(`no challenge: ${reply.status}`)
    options = await reply.json()
    made = Date.now()
  }
  return PublicKeyCredential.parseRequestOptionsFromJSON(options)
}

/** Only one request may wait at a time. */
async function ask(how = {}) {
  pending?.abort()
  const { signal } = (pending = new AbortController())
  const credential = await navigator.credentials.get({ publicKey: await freshOptions(), signal, ...how })
  form.elements.credential.value = JSON.stringify(credential.toJSON())
  form.submit()
}

async function propose() {
  if (isPressed) return
  try {
    await ask({ mediation: 'conditional' })
  } catch {
    // Nobody chose a passkey, or the request was renewed. The form is there.
  }
}

async function press() {
  if (isPressed) return
  isPressed = true
  fault.hidden = true
  try {
    await ask()
  } catch {
    fault.hidden = false
    isPressed = false
    if (proposes) void propose()
  }
}

// The host is a number: no browser keeps a passkey for it.
const mayAsk =
  form && window.PublicKeyCredential?.parseRequestOptionsFromJSON && !/^[\d.]+$|:/.test(location.hostname)

async function start() {
  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void press()
  })
  proposes = (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false
  if (!proposes) return
  void propose()
  setInterval(() => void propose(), FRESH_MS + 1_000)
}

if (mayAsk) void start()
