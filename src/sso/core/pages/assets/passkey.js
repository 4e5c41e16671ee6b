// Signing with a key needs the browser's own dialogue, which only a script can open.
const form = document.querySelector('form[data-passkey]')

async function ask() {
  const fault = form.querySelector('[data-passkey-fault]')
  fault.hidden = true
  try {
    const options = JSON.parse(form.dataset.passkey)
    const credential =
      form.dataset.passkeyNew === undefined
        ? await navigator.credentials.get({
            publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
          })
        : await navigator.credentials.create({
            publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
          })
    form.elements.credential.value = JSON.stringify(credential.toJSON())
    form.submit()
  } catch {
    fault.hidden = false
  }
}

// The host is a number: no browser keeps a passkey for it.
if (/^[\d.]+$|:/.test(location.hostname))
  form?.querySelector('[data-passkey-name]')?.removeAttribute('hidden')

form?.addEventListener('submit', (event) => {
  event.preventDefault()
  void ask()
})
