"use strict";
// Adds to an element with a code in it a button that copies the code, or selects it where that is not allowed.
const addCopyButton = (command) => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy: ${command.textContent}`);
  button.addEventListener("click", () => {
    const done = (text) => {
      button.textContent = text;
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    };
    const select = () => {
      getSelection().selectAllChildren(command.querySelector("code"));
      done(document.execCommand("copy") ? "Copied" : "Selected");
    };
    if (navigator.clipboard) {
      navigator.clipboard.writeText(command.querySelector("code").textContent).then(() => done("Copied"), select);
    } else {
      select();
    }
  });
  command.append(button);
};
