//! An executable image: whether there is a table in its processes, and where.

use crate::debugger::Attachment;
use crate::failure::Failure;
use mqs::{Address, BasicCallbacks, Image, ImageCallbacks, codes};
use std::ffi::CStr;

/// Our data of an image.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Info {
    pub(crate) callbacks: ImageCallbacks,
}

impl Info {
    /// The address of the table.
    pub(crate) fn table(&self, image: *mut Image) -> Result<Address, Failure> {
        self.symbol(image, queue_table::SYMBOL)?.filter(|at| *at != 0).ok_or(Failure::NoInformation)
    }

    fn symbol(&self, image: *mut Image, name: &CStr) -> Result<Option<Address>, Failure> {
        let find = self.callbacks.find_symbol.ok_or(Failure::NoCallbacks)?;
        let mut address: Address = 0;
        // SAFETY: the debugger's function and image (5.8.2); it does not change the name.
        let found = unsafe { find(image, name.as_ptr().cast_mut(), &mut address) };
        Ok((found == codes::OK).then_some(address))
    }
}

impl Attachment for Info {
    type Owner = Image;

    fn put(callbacks: &BasicCallbacks, image: *mut Image, info: *mut Self) -> Result<(), Failure> {
        let put = callbacks.put_image_info.ok_or(Failure::NoCallbacks)?;
        // SAFETY: the debugger's function and image (5.8.1).
        unsafe { put(image, info.cast()) };
        Ok(())
    }

    fn get(callbacks: &BasicCallbacks, image: *mut Image) -> Result<*mut Self, Failure> {
        let get = callbacks.get_image_info.ok_or(Failure::NoCallbacks)?;
        // SAFETY: the debugger's function and image (5.8.1).
        Ok(unsafe { get(image) }.cast())
    }
}
